"""Operations on elements, reductions and scans."""
