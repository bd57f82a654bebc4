"""What JAX and torch call the calls of `derivative_cases`, where the name is another one."""

JAX_NAMES = {
    "abs": "abs", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "lgamma": "gammaln", "linear": "array",
    "softsign": "soft_sign", "pow": "power", "atan2": "arctan2", "floormod": "mod",
    "truncatemod": "fmod", "realdiv": "divide", "igamma": "gammainc", "igammac": "gammaincc",
    "hard_silu": "hard_silu", "bessel_i0": "i0", "bessel_i0e": "i0e", "bessel_i1": "i1",
    "bessel_i1e": "i1e", "rint": "round",
}  # fmt: skip
TORCH_NAMES = {
    "hard_sigmoid": "hardsigmoid", "hard_silu": "hardswish", "hard_tanh": "hardtanh",
    "log_sigmoid": "logsigmoid", "hard_shrink": "hardshrink", "soft_shrink": "softshrink",
    "tanh_shrink": "tanhshrink", "realdiv": "divide", "truncatemod": "fmod",
    "floormod": "remainder", "igamma": "igamma", "mod": "remainder", "power": "pow",
}  # fmt: skip
JAX_CALLS = {
    "ag.linalg.norm(x,axis=-1)": "jnp.linalg.norm(x,axis=-1)",
    "ag.norm(x,axis=-1)": "jnp.linalg.norm(x,axis=-1)",
    "ag.norm(x,1,-1)": "jnp.linalg.norm(x,1,-1)",
    "ag.norm(x,3,-1)": "jnp.linalg.norm(x,3,-1)",
    'ag.norm(x,float("inf"),-1)': "jnp.linalg.norm(x,jnp.inf,-1)",
    "ag.math.reduce_euclidean_norm(x,-1)": "jnp.linalg.norm(x,axis=-1)",
    "ag.reduce_prod(x,-1)": "jnp.prod(x,-1)",
    "ag.reduce_max(x,-1)": "jnp.max(x,-1)",
    "ag.reduce_min(x,-1)": "jnp.min(x,-1)",
    "ag.math.reduce_std(x,-1)": "jnp.std(x,-1)",
    "ag.math.cumprod(x,-1)": "jnp.cumprod(x,-1)",
    "ag.math.cumprod(x,-1,False,True)": "jnp.cumprod(x[:,::-1],-1)[:,::-1]",
    "ag.math.unsorted_segment_prod(x,[0,1,0,1,2,2],4)": (
        "jax.ops.segment_prod(x,jnp.array([0,1,0,1,2,2]),4)"
    ),
    "ag.math.log_sigmoid(x)": "jax.nn.log_sigmoid(x)",
    "ag.where(x>0.0,ag.sqrt(x),0.0)": "jnp.where(x>0,jnp.sqrt(x),0.0)",
    "ag.pow(x,0.0)": "jnp.power(x,0.0)",
    "ag.pow(x,0.5)": "jnp.power(x,0.5)",
    "ag.pow(x,1.0)": "jnp.power(x,1.0)",
    "ag.pow(x,2.0)": "jnp.power(x,2.0)",
    "ag.pow(x,3.0)": "jnp.power(x,3.0)",
    "ag.pow(0.0,x)": "jnp.power(0.0,x)",
    "ag.maximum(x,0.0)": "jnp.maximum(x,0.0)",
    "ag.minimum(x,0.0)": "jnp.minimum(x,0.0)",
    "ag.clip_by_value(x,-1.0,2.5)": "jnp.clip(x,-1.0,2.5)",
    "ag.keras.ops.clip(x,-1.0,2.5)": "jnp.clip(x,-1.0,2.5)",
    "ag.reduce_logsumexp(x,-1)": "jax.nn.logsumexp(x,-1)",
    "ag.nn.sigmoid_cross_entropy_with_logits(labels=x,logits=y)": (
        "-x*jax.nn.log_sigmoid(y)-(1-x)*jax.nn.log_sigmoid(-y)"
    ),
    "ag.math.lbeta(ag.abs(x)+0.5)": (
        "jsp.gammaln(jnp.abs(x)+0.5).sum(-1)-jsp.gammaln((jnp.abs(x)+0.5).sum(-1))"
    ),
    "ag.math.cumulative_logsumexp(x,-1)": "jax.lax.cumlogsumexp(x,axis=1)",
    "ag.linalg.slogdet(x)[1]": "jnp.linalg.slogdet(x)[1]",
    "ag.linalg.det(x)": "jnp.linalg.det(x)",
    "ag.keras.ops.median(x,-1)": "jnp.median(x,-1)",
}
TORCH_CALLS = {
    "ag.norm(x,axis=-1)": "torch.linalg.norm(x,dim=-1)",
    "ag.norm(x,1,-1)": "torch.linalg.norm(x,1,-1)",
    "ag.norm(x,3,-1)": "torch.linalg.norm(x,3,-1)",
    'ag.norm(x,float("inf"),-1)': "torch.linalg.norm(x,float('inf'),-1)",
    "ag.math.reduce_euclidean_norm(x,-1)": "torch.linalg.norm(x,dim=-1)",
    "ag.keras.ops.norm(x,axis=-1)": "torch.linalg.norm(x,dim=-1)",
    "ag.reduce_prod(x,-1)": "torch.prod(x,-1)",
    "ag.reduce_max(x,-1)": "torch.amax(x,-1)",
    "ag.reduce_min(x,-1)": "torch.amin(x,-1)",
    "ag.math.reduce_std(x,-1)": "torch.std(x,-1,correction=0)",
    "ag.math.cumprod(x,-1)": "torch.cumprod(x,-1)",
    "ag.math.cumprod(x,-1,False,True)": "torch.cumprod(x.flip(1),-1).flip(1)",
    "ag.keras.ops.cdist(x,x)": "torch.cdist(x,x)",
    "ag.where(x>0.0,ag.sqrt(x),0.0)": "torch.where(x>0,torch.sqrt(x),0.0)",
    "ag.pow(x,0.0)": "torch.pow(x,0.0)",
    "ag.pow(x,0.5)": "torch.pow(x,0.5)",
    "ag.pow(x,1.0)": "torch.pow(x,1.0)",
    "ag.pow(x,2.0)": "torch.pow(x,2.0)",
    "ag.pow(x,3.0)": "torch.pow(x,3.0)",
    "ag.maximum(x,0.0)": "torch.clamp(x,min=0.0)",
    "ag.clip_by_value(x,-1.0,2.5)": "torch.clamp(x,-1.0,2.5)",
    "ag.keras.ops.clip(x,-1.0,2.5)": "torch.clamp(x,-1.0,2.5)",
    "ag.reduce_logsumexp(x,-1)": "torch.logsumexp(x,-1)",
    "ag.nn.sigmoid_cross_entropy_with_logits(labels=x,logits=y)": (
        "F.binary_cross_entropy_with_logits(y,x,reduction='none')"
    ),
    "ag.nn.weighted_cross_entropy_with_logits(x,y,3.0)": (
        "F.binary_cross_entropy_with_logits(y,x,reduction='none',"
        "pos_weight=torch.tensor(3.0,dtype=x.dtype))"
    ),
    "ag.keras.losses.huber(x,y)": "F.huber_loss(y,x,reduction='none').mean(-1)",
    "ag.linalg.l2_normalize(x,-1)": "F.normalize(x,dim=-1)",
}
