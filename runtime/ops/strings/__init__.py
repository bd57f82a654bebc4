"""Operations on strings, and encodings of values as bytes."""
