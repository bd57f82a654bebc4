"""Calls of every public differentiable function at the edges of its formula, and what they call.

A call is text over `ag`, which the peers' script reads with `ag` as TensorFlow. Its arguments are
`x` and, where it has two, `y`. `OTHERS` holds the same calls for JAX and torch.
"""

import re
from typing import NamedTuple

INF = float("inf")
LINE = [
    -INF,
    -1000.0,
    -6.0,
    -3.0,
    -2.5,
    -1.0,
    -0.5,
    -0.0,
    0.0,
    0.5,
    1.0,
    2.5,
    3.0,
    6.0,
    1000.0,
    INF,
]
GRID = [-1.0, -0.0, 0.0, 0.5, 2.0, INF]
PAIRS = ([a for a in GRID for _ in GRID], [b for _ in GRID for b in GRID])
UNIT = [-0.0, 0.0, 1e-9, 0.25, 0.5, 0.75, 1.0]
SHARES = ([a for a in (0.0, 0.5, 1.0) for _ in UNIT], [b for _ in range(3) for b in UNIT])
# Rows with one zero, two, zeros of both signs, ties and equal elements.
ROWS = [[2.0, 0.0, 3.0], [0.0, 4.0, 0.0], [-0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [-2.0, 5.0, 5.0],
        [3.0, -4.0, 0.0]]  # fmt: skip
LABELS = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0],
          [1.0, 0.0, 0.0]]  # fmt: skip
PROBABILITIES = [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25], [0.5, 0.5, 0.0],
                 [0.0, 0.0, 0.0], [0.2, 0.3, 0.5]]  # fmt: skip
LOGITS = [[0.0, 0.0, 0.0], [-0.0, 2.0, 2.0], [1000.0, 0.0, -1000.0], [-INF, 0.0, 1.0],
          [INF, 0.0, 1.0], [1.0, 2.0, 3.0]]  # fmt: skip
SQUARES = [[[2.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]
REGULAR = [[[2.0, 0.0], [0.0, 2.0]], [[4.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 5.0]]]
IMAGE = [[[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.5, 0.5, 0.2], [0.2, 0.7, 0.7]],
          [[1.0, 0.0, 0.0], [0.3, 0.3, 0.3], [0.0, 0.0, 1.0], [0.0, 0.5, 0.0]],
          [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.1, 0.9, 0.1], [0.4, 0.5, 0.4]],
          [[0.6, 0.6, 0.1], [0.9, 0.1, 0.9], [0.8, 0.8, 0.8], [0.3, 0.6, 0.9]]]]  # fmt: skip
PLANE = [[[[0.0], [0.0], [1.0], [1.0]], [[0.0], [-0.0], [1.0], [2.0]],
          [[-1.0], [-1.0], [3.0], [0.0]], [[-1.0], [-2.0], [0.0], [3.0]]]]  # fmt: skip
LINES = [[[0.0], [-0.0], [1.0], [1.0], [-1.0], [2.0]]]
BLOCK = [[[[[0.0], [0.0]], [[1.0], [1.0]]], [[[0.0], [-1.0]], [[1.0], [-1.0]]]]]


class Points(NamedTuple):
    """Arguments, whether what takes them is elementwise, and their data type."""

    arguments: tuple
    elementwise: bool = False
    dtype: str = "float64"


POINTS = {
    "LINE": Points((LINE,), True), "PAIRS": Points(PAIRS, True), "SHARES": Points(SHARES, True),
    "ROWS": Points((ROWS,)), "LOGITS": Points((LOGITS,)), "LABELS, ROWS": Points((LABELS, ROWS)),
    "LABELS, PROBABILITIES": Points((LABELS, PROBABILITIES)), "REGULAR": Points((REGULAR,)),
    "SQUARES": Points((SQUARES,)), "IMAGE": Points((IMAGE,), dtype="float32"),
    "PLANE": Points((PLANE,), dtype="float32"), "LINES": Points((LINES,), dtype="float32"),
    "BLOCK": Points((BLOCK,), dtype="float32"),
}  # fmt: skip


class Case(NamedTuple):
    """A call, and the name of its arguments in `POINTS`."""

    call: str
    points: str

    @property
    def names(self) -> list[str]:
        """The public names that it calls."""
        return re.findall(r"\bag\.([\w.]+)", self.call)

    def __str__(self):
        return f"{self.call} at {self.points}"


ELEMENTWISE = """
abs negative square sign floor math.ceil round identity stop_gradient math.reciprocal
math.reciprocal_no_nan exp math.expm1 math.log math.log1p sqrt math.rsqrt tanh sigmoid
math.log_sigmoid math.softplus math.softsign sin cos tan asin acos atan sinh cosh asinh acosh atanh
math.erf math.erfc math.erfinv math.erfcinv math.ndtri math.lgamma math.digamma
math.special.bessel_i0 math.special.bessel_i0e math.special.bessel_i1 math.special.bessel_i1e
math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e
math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1
math.special.dawsn math.special.expint math.special.spence math.special.fresnel_sin
math.special.fresnel_cos guarantee_const
nn.relu nn.relu6 nn.leaky_relu nn.elu nn.selu nn.silu nn.gelu
keras.activations.linear keras.activations.relu keras.activations.hard_sigmoid
keras.activations.exponential keras.activations.mish keras.activations.gelu keras.activations.silu
keras.activations.elu keras.activations.leaky_relu keras.activations.celu
keras.activations.hard_silu keras.activations.hard_tanh keras.activations.log_sigmoid
keras.activations.tanh_shrink keras.activations.hard_shrink keras.activations.soft_shrink
keras.activations.squareplus keras.activations.sparse_plus keras.activations.sparse_sigmoid
keras.ops.erf keras.ops.erfc keras.ops.erfinv keras.ops.rsqrt keras.ops.celu keras.ops.elu
keras.ops.hard_shrink keras.ops.hard_sigmoid keras.ops.hard_silu keras.ops.hard_tanh
keras.ops.leaky_relu keras.ops.log_sigmoid keras.ops.relu6 keras.ops.selu keras.ops.sigmoid
keras.ops.silu keras.ops.soft_shrink keras.ops.softplus keras.ops.softsign keras.ops.sparse_plus
keras.ops.sparse_sigmoid keras.ops.squareplus keras.ops.tanh_shrink keras.ops.gelu keras.ops.relu
keras.ops.arccos keras.ops.arccosh keras.ops.arcsin keras.ops.arcsinh keras.ops.arctan
keras.ops.arctanh keras.ops.ceil keras.ops.cos keras.ops.cosh keras.ops.exp keras.ops.exp2
keras.ops.expm1 keras.ops.fabs keras.ops.floor keras.ops.log keras.ops.log10 keras.ops.log1p
keras.ops.log2 keras.ops.sin keras.ops.sinc keras.ops.sinh keras.ops.sqrt keras.ops.tan
keras.ops.tanh keras.ops.cbrt keras.ops.deg2rad keras.ops.rad2deg keras.ops.i0 keras.ops.negative
keras.ops.nan_to_num keras.ops.reciprocal keras.ops.round keras.ops.sign keras.ops.square
keras.ops.abs keras.ops.absolute keras.ops.trunc keras.ops.copy keras.ops.stop_gradient
keras.ops.conj keras.ops.conjugate keras.ops.real
keras.backend.abs keras.backend.cos keras.backend.elu keras.backend.exp keras.backend.hard_sigmoid
keras.backend.log keras.backend.relu keras.backend.round keras.backend.sigmoid keras.backend.sign
keras.backend.sin keras.backend.softplus keras.backend.softsign keras.backend.square
keras.backend.stop_gradient keras.backend.tanh keras.backend.sqrt
"""
BINARY = """
add subtract multiply divide realdiv math.floordiv math.floormod pow maximum minimum atan2
math.hypot
math.squared_difference math.divide_no_nan math.multiply_no_nan math.xlogy math.xlog1py math.xdivy
truncatemod math.nextafter math.igamma math.igammac math.polygamma math.zeta
keras.ops.divide keras.ops.divide_no_nan keras.ops.logaddexp keras.ops.logaddexp2
keras.ops.arctan2 keras.ops.true_divide keras.ops.hypot keras.ops.add keras.ops.floor_divide
keras.ops.fmax keras.ops.fmin keras.ops.maximum keras.ops.minimum keras.ops.multiply
keras.ops.power keras.ops.subtract keras.ops.fmod keras.ops.mod keras.ops.nextafter
keras.ops.heaviside keras.ops.ldexp keras.backend.maximum keras.backend.minimum keras.backend.pow
nn.log_poisson_loss
"""
OF_SHARES = """
nn.sigmoid_cross_entropy_with_logits(labels=x,logits=y)
nn.weighted_cross_entropy_with_logits(x,y,3.0) nn.log_poisson_loss(x,y,True)
keras.ops.binary_crossentropy(x,y) keras.ops.binary_crossentropy(x,y,True)
"""
OF_LINES = """
keras.activations.relu(x,0.1,2.5,0.5) keras.activations.relu(x,max_value=2.5)
keras.activations.elu(x,0.5) keras.activations.leaky_relu(x,0.3)
keras.activations.threshold(x,1.0,-7.0) keras.ops.threshold(x,1.0,-7.0)
nn.gelu(x,True) nn.silu(x,0.5) nn.leaky_relu(x,0.3) clip_by_value(x,-1.0,2.5)
keras.ops.clip(x,-1.0,2.5) keras.backend.clip(x,-1.0,2.5) pow(x,2.0) pow(x,0.5) pow(x,0.0)
pow(x,3.0) pow(x,1.0) pow(2.0,x) pow(0.0,x) math.polyval([x,x,x],x) maximum(x,0.0)
minimum(x,0.0) where(x>0.0,sqrt(x),0.0) where(x>0.0,math.log(x),0.0) where(x>0.0,x,0.0)
where(x>0.0,pow(x,0.5),0.0) where(x>0.0,1.0/x,0.0) cast(x,dtype="float32")
saturate_cast(x,"float32") image.adjust_brightness(x,0.1)
"""
OF_ROWS = """
reduce_sum(x,-1) reduce_prod(x,-1) reduce_mean(x,-1) reduce_max(x,-1) reduce_min(x,-1)
math.reduce_variance(x,-1) math.reduce_std(x,-1) reduce_logsumexp(x,-1)
math.reduce_euclidean_norm(x,-1) norm(x,axis=-1) norm(x,1,-1) norm(x,3,-1) norm(x,float("inf"),-1)
cumsum(x,-1) cumsum(x,-1,True,True) math.cumprod(x,-1) math.cumprod(x,-1,True)
math.cumprod(x,-1,False,True) math.cumprod(x,-1,True,True) math.cumulative_logsumexp(x,-1)
math.cumulative_logsumexp(x,-1,True,True) sort(x,-1) sort(x,-1,"DESCENDING") math.top_k(x,2)[0]
math.approx_max_k(x,2)[0] math.approx_min_k(x,2)[0] nn.approx_max_k(x,2)[0] nn.approx_min_k(x,2)[0]
linalg.l2_normalize(x,-1) linalg.normalize(x,axis=-1)[0] linalg.normalize(x,axis=-1)[1]
clip_by_norm(x,2.0,-1) linalg.global_norm([x]) clip_by_global_norm([x],2.0)[0][0] nn.l2_loss(x)
nn.moments(x,[-1])[0] nn.moments(x,[-1])[1] math.zero_fraction(x) add_n([x,x])
nn.scale_regularization_loss(x) nn.compute_average_loss(x) linalg.cross(x,x[::-1])
math.lbeta(abs(x)+0.5) nn.crelu(x)
nn.weighted_moments(x,[-1],x*0.0+1.0)[1] nn.embedding_lookup(x,[0,2,5],max_norm=2.0)
nn.batch_normalization(x,0.0,abs(x),0.0,1.0,0.0)
nn.batch_normalization(x,0.0,abs(x),None,None,0.001)
keras.layers.add([x,x]) keras.layers.subtract([x,2.0*x]) keras.layers.multiply([x,x])
keras.layers.maximum([x,x]) keras.layers.minimum([x,x]) keras.layers.average([x,x])
keras.utils.normalize(x) keras.backend.l2_normalize(x,-1) keras.backend.max(x,-1)
keras.backend.mean(x,-1) keras.backend.min(x,-1) keras.backend.prod(x,-1) keras.backend.std(x,-1)
keras.backend.sum(x,-1) keras.backend.var(x,-1) keras.backend.cumprod(x,1)
keras.ops.average(x,-1) keras.ops.trapezoid(x) keras.ops.norm(x,axis=-1) keras.ops.norm(x,1,-1)
keras.ops.logsumexp(x,-1) keras.ops.top_k(x,2)[0] keras.ops.normalize(x) keras.ops.normalize(x,-1,1)
keras.ops.moments(x,[-1])[1] keras.ops.layer_normalization(x) keras.ops.rms_normalization(x)
keras.ops.batch_normalization(x,x[0],abs(x[1]),-1) keras.ops.mean(x,-1) keras.ops.median(x,-1)
keras.ops.nanmean(x,-1) keras.ops.nanmedian(x,-1) keras.ops.nanstd(x,-1) keras.ops.nanvar(x,-1)
keras.ops.std(x,-1) keras.ops.var(x,-1) keras.ops.percentile(x,50.0,-1)
keras.ops.quantile(x,0.25,-1) keras.ops.nanpercentile(x,50.0,-1) keras.ops.nanquantile(x,0.25,-1)
keras.ops.amax(x,-1) keras.ops.amin(x,-1) keras.ops.max(x,-1) keras.ops.min(x,-1)
keras.ops.nanmax(x,-1) keras.ops.nanmin(x,-1) keras.ops.ptp(x,-1) keras.ops.sort(x,-1)
keras.ops.nanprod(x,-1) keras.ops.nansum(x,-1) keras.ops.prod(x,-1) keras.ops.sum(x,-1)
keras.ops.cumprod(x,-1) keras.ops.nancumprod(x,-1) keras.ops.nancumsum(x,-1) keras.ops.cumsum(x,-1)
keras.ops.vander(x[0]) keras.ops.cross(x,x[::-1]) keras.ops.corrcoef(x) keras.ops.cdist(x,x)
keras.ops.segment_max(x,constant([0,0,1,1,2,2]),3)
keras.ops.segment_min(x,constant([0,0,1,1,2,2]),3)
keras.ops.segment_prod(x,constant([0,0,1,1,2,2]),3)
keras.ops.segment_sum(x,constant([0,0,1,1,2,2]),3)
math.unsorted_segment_prod(x,[0,1,0,1,2,2],4) math.unsorted_segment_max(x,[0,1,0,1,2,2],4)
math.unsorted_segment_min(x,[0,1,0,-1,2,2],4) math.unsorted_segment_mean(x,[0,1,0,1,2,2],4)
math.unsorted_segment_sqrt_n(x,[0,1,0,1,2,2],4) math.unsorted_segment_sum(x,[0,1,0,1,2,2],4)
math.unsorted_segment_prod(x,[0,1,0,-1,2,2],4) math.segment_prod(x,[0,0,1,1,3,3])
math.segment_max(x,[0,0,1,1,3,3]) math.segment_min(x,[0,0,1,1,3,3])
math.segment_mean(x,[0,0,1,1,3,3]) math.segment_sum(x,[0,0,1,1,3,3])
sparse.segment_sum(x,[0,1,2],[0,0,1]) sparse.segment_mean(x,[0,1,2],[0,0,1])
sparse.segment_sqrt_n(x,[0,1,2],[0,0,1])
tensor_scatter_nd_max(x,[[0],[2],[2]],x[:3]) tensor_scatter_nd_min(x,[[0],[2],[2]],x[:3])
keras.regularizers.l1(0.1)(x) keras.regularizers.l2(0.1)(x) keras.regularizers.l1_l2(0.1,0.2)(x)
nn.isotonic_regression(x)[0] image.per_image_standardization(x[None])
signal.mfccs_from_log_mel_spectrograms(x) norm(x[:,:,None]*x[:,None],axis=[-2,-1])
norm(x[:,:,None]*x[:,None],1,axis=[-2,-1]) nn.local_response_normalization(x[None,None])
nn.batch_norm_with_global_normalization(x[None,None],x[0],abs(x[1]),x[2],x[3],0.001,True)
"""
OF_LOGITS = """
nn.softmax(x) nn.log_softmax(x) keras.activations.softmax(x) keras.activations.log_softmax(x)
keras.activations.glu(concat([x,x],-1)) keras.ops.glu(keras.ops.concatenate([x,x],-1))
keras.activations.sparsemax(x) keras.ops.sparsemax(x) keras.ops.softmax(x) keras.ops.log_softmax(x)
keras.backend.softmax(x) reduce_logsumexp(x,-1) math.cumulative_logsumexp(x,-1)
nn.sparse_softmax_cross_entropy_with_logits([0,1,2,0,1,2],x)
keras.losses.sparse_categorical_crossentropy(constant([0,1,2,0,1,2]),x,True)
keras.ops.sparse_categorical_crossentropy([0,1,2,0,1,2],x,True)
"""
OF_LABELS_AND_LOGITS = """
nn.softmax_cross_entropy_with_logits(x,y) keras.losses.categorical_crossentropy(x,y,True)
keras.ops.categorical_crossentropy(x,y,True) keras.losses.binary_crossentropy(x,y,True)
keras.losses.MSE(x,y) keras.losses.MAE(x,y)
keras.losses.MAPE(x,y) keras.losses.MSLE(x,y)
keras.losses.huber(x,y) keras.losses.huber(x,y,0.5) keras.losses.logcosh(x,y)
keras.losses.poisson(x,y) keras.losses.hinge(x,y) keras.losses.squared_hinge(x,y)
keras.losses.categorical_hinge(x,y) keras.losses.cosine_similarity(x,y)
"""
OF_LABELS_AND_PROBABILITIES = """
keras.losses.binary_crossentropy(x,y) keras.losses.binary_focal_crossentropy(x,y)
keras.losses.categorical_crossentropy(x,y) keras.losses.categorical_focal_crossentropy(x,y)
keras.losses.KLD(x,y) keras.losses.dice(x,y) keras.losses.tversky(x,y)
keras.losses.huber(x,y) keras.losses.hinge(x,y) keras.losses.squared_hinge(x,y)
keras.losses.MAE(x,y) keras.losses.MSLE(x,y)
keras.losses.categorical_hinge(x,y) keras.losses.cosine_similarity(x,y) keras.losses.logcosh(x,y)
keras.losses.poisson(x,y)
keras.losses.categorical_generalized_cross_entropy(constant([0,1,2,0,1,2]),y,0.5)
keras.losses.circle(constant([0,1,0,1,2,2]),x) keras.backend.binary_crossentropy(x,y)
keras.backend.categorical_crossentropy(x,y) keras.ops.categorical_crossentropy(x,y)
keras.losses.sparse_categorical_crossentropy(constant([0,1,2,0,1,2]),y)
keras.ops.sparse_categorical_crossentropy([0,1,2,0,1,2],y)
keras.backend.sparse_categorical_crossentropy([0,1,2,0,1,2],y)
math.betainc(abs(x)+0.5,abs(x)+0.5,y) keras.ops.psnr(x,y,1.0) keras.ops.psnr(x,x,1.0)
"""
OF_MATRICES = """
linalg.det(x) linalg.slogdet(x)[1] linalg.logdet(x) linalg.expm(x) linalg.pinv(x) linalg.sqrtm(x)
linalg.eigh(x)[0] linalg.eigvalsh(x) linalg.svd(x,compute_uv=False) linalg.qr(x)[1] linalg.inv(x)
linalg.cholesky(x) linalg.trace(x) keras.ops.det(x) keras.ops.slogdet(x)[1] keras.ops.logdet(x)
"""
OF_SINGULAR = """
linalg.expm(x) linalg.pinv(x) linalg.eigh(x)[0] linalg.eigvalsh(x) linalg.svd(x,compute_uv=False)
linalg.trace(x)
"""
OF_IMAGES = """
image.rgb_to_hsv(x) image.hsv_to_rgb(x) image.adjust_contrast(x,0.5) image.adjust_hue(x,0.1)
image.adjust_saturation(x,0.5) image.adjust_gamma(x,0.5) image.total_variation(x)
image.sobel_edges(x) image.per_image_standardization(x) image.psnr(x,x*0.5,1.0) image.psnr(x,x,1.0)
image.ssim(x,x*0.5,1.0,filter_size=3) image.ssim_multiscale(x,x*0.5,1.0,[1.0],filter_size=3)
keras.ops.image.rgb_to_hsv(x) keras.ops.image.hsv_to_rgb(x)
"""
OF_PLANES = """
nn.max_pool(x,2,2,"VALID") nn.max_pool(x,3,1,"SAME") nn.avg_pool(x,2,2,"VALID")
nn.max_pool_with_argmax(x,2,2,"VALID")[0] nn.pool(x,[2,2],"MAX",[2,2])
nn.dilation2d(x,x[0,:2,:2],[1,1,1,1],"SAME","NHWC",[1,1,1,1])
nn.erosion2d(x,x[0,:2,:2],[1,1,1,1],"SAME","NHWC",[1,1,1,1])
nn.fractional_max_pool(x,[1.0,2.0,2.0,1.0],seed=1)[0] nn.lrn(x) keras.ops.max_pool(x,2)
keras.ops.adaptive_max_pool(x,2)
"""
LAYERS = {
    "PLANE": """MaxPooling2D() GlobalMaxPooling2D() AdaptiveMaxPooling2D(2) BatchNormalization()
LayerNormalization() GroupNormalization(1) UnitNormalization() PReLU() ReLU() ReLU(2.0,0.1,0.5)
        LeakyReLU() ELU() Softmax() ThresholdedReLU(1.0) Activation("relu") RMSNormalization()
        UnitNormalization(axis=[1,2])""",
    "LINES": "MaxPooling1D() GlobalMaxPooling1D() AdaptiveMaxPooling1D(2)",
    "BLOCK": "MaxPooling3D() GlobalMaxPooling3D()",
}  # fmt: skip


def _calls(text: str) -> list[str]:
    """The calls that a text names, with `ag.` before each public name that stands alone."""
    return [re.sub(r"(?<![\w.\"])([a-z][\w.]*)\(", _named, call) for call in text.split()]


def _named(found) -> str:
    name = found[1]
    return found[0] if name in ("float",) else f"ag.{name}("


def _cases():
    for name in ELEMENTWISE.split():
        yield Case(f"ag.{name}(x)", "LINE")
    for name in BINARY.split():
        yield Case(f"ag.{name}(x,y)", "PAIRS")
    for points, text in CALLS:
        for call in _calls(text):
            yield Case(call, points)
    for points, layers in LAYERS.items():
        for layer in layers.split():
            yield Case(f"ag.keras.layers.{layer}(x)", points)


CALLS = (
    ("LINE", OF_LINES), ("PAIRS", OF_SHARES), ("SHARES", OF_SHARES), ("ROWS", OF_ROWS),
    ("LOGITS", OF_LOGITS), ("LABELS, ROWS", OF_LABELS_AND_LOGITS),
    ("LABELS, PROBABILITIES", OF_LABELS_AND_PROBABILITIES), ("REGULAR", OF_MATRICES),
    ("SQUARES", OF_SINGULAR), ("IMAGE", OF_IMAGES), ("PLANE", OF_PLANES),
)  # fmt: skip
CASES = list(_cases())
