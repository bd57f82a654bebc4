from ..tracing.structures.nest import assert_same_structure as assert_same_structure
from ..tracing.structures.nest import container_type as container_type
from ..tracing.structures.nest import flatten as flatten
from ..tracing.structures.nest import is_nested as is_nested
from ..tracing.structures.nest import map_structure as map_structure
from ..tracing.structures.nest import pack_sequence_as as pack_sequence_as
from ..tracing.structures.nest import same_structure as same_structure
from ..tracing.structures.nest import user_container_type as user_container_type
