"""Operations that create, index, join, rearrange and sort arrays."""
