"""Errors: their classes, the user's line, and what messages say."""

from ..loading import members

MEMBERS = """
runtime.core.errors AlreadyExistsError DTypeError DataLossError Error FailedPreconditionError
runtime.core.errors FileMissingError InvalidArgumentError NotFoundError OutOfBoundsError
runtime.core.errors OutOfRangeError ShapeError SymbolicValueError UnimplementedError
library.file_io.service_errors PermissionDeniedError UnavailableError
runtime.core.file_content IrregularFileError opened
runtime.core.source_locations SavedLocation SourceLocation depth_of_user is_internal_module
runtime.core.source_locations line_of_operation user_location
runtime.core.tracebacks boundaries_of boundary did_you_mean
runtime.core.user_source in_users_words package_name
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
