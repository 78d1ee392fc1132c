"""Makes the sample files, the same bytes at every run: `python -m tabulaflow_core.samples.generate`.

The shop, its products and its sales are invented.
"""

from __future__ import annotations

import csv
import random
from datetime import date, timedelta
from pathlib import Path
from typing import Final

# product, category, unit price, units on hand, reorder point
PRODUCTS: Final = (
    ("HDMI cable", "Cables", "9.90", 12, 20),
    ("USB-C cable", "Cables", "12.50", 48, 30),
    ("Ethernet cable 5 m", "Cables", "7.20", 75, 40),
    ("USB-C dock", "Docks", "129.00", 5, 12),
    ("Thunderbolt dock", "Docks", "219.00", 9, 6),
    ("Laptop stand", "Desk", "39.00", 31, 15),
    ("Monitor arm", "Desk", "89.00", 14, 10),
    ("Desk lamp", "Desk", "45.50", 22, 12),
    ("Wireless mouse", "Input", "24.90", 60, 25),
    ("Mechanical keyboard", "Input", "99.00", 18, 10),
    ("Webcam", "Video", "69.00", 16, 14),
    ("Headset", "Audio", "79.00", 27, 20),
)
REGIONS: Final = ("North", "East", "South", "West")
FIRST_DAY: Final = date(2026, 1, 1)
DAYS: Final = 273  # January to September
SALES: Final = 720


def write_samples(folder: Path) -> None:
    """Write `inventory.csv` and `sales.csv` into `folder`."""
    with (folder / "inventory.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("product", "category", "unit_price", "on_hand", "reorder_point"))
        rows.writerows(PRODUCTS)
    chance = random.Random(2026)
    days = sorted(chance.randrange(DAYS) for _ in range(SALES))
    with (folder / "sales.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("order_date", "region", "product", "category", "units", "revenue"))
        for day in days:
            product, category, price, _, _ = chance.choices(PRODUCTS, weights=range(len(PRODUCTS), 0, -1))[0]
            region = chance.choices(REGIONS, weights=(4, 3, 2, 2))[0]
            units = chance.choices((1, 2, 3, 5, 10), weights=(8, 5, 3, 2, 1))[0]
            cents = units * int(price.replace(".", ""))
            revenue = f"{cents // 100}.{cents % 100:02d}"
            rows.writerow((FIRST_DAY + timedelta(days=day), region, product, category, units, revenue))


if __name__ == "__main__":
    write_samples(Path(__file__).parent)
