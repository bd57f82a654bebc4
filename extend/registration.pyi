from ..runtime.core.public_names import expose as expose
from ..runtime.core.public_names import lookup as lookup
from ..runtime.core.public_names import public as public
