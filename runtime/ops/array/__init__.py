"""Operations that make, index, join and rearrange arrays."""
