"""A program of two files: `table`."""

from table_model import read, totals

lines = ["city,value"] + [f"{'ABC'[k % 3]},{k * 0.25}" for k in range(6000)]
for city, mean in sorted(totals(read("\n".join(lines))).items()):
    print(city, mean)
