"""What code puts right in joins: the key, rows that a join repeats, two values at once. Run on a real SQLite."""

from __future__ import annotations

import sqlite3

import pytest

from tabulaflow_core.agents.joins import inferred_joins
from tabulaflow_core.agents.mend import mend
from tabulaflow_core.agents.sources import Source
from tabulaflow_core.data.schema import ForeignKey, SourceSchema
from tests.agents.fakes import FakeConnector
from tests.agents.test_mend import table

SCHEMA = SourceSchema(
    (
        table("owner", "owner_id INTEGER", "name TEXT", "town TEXT", key="owner_id"),
        table(
            "dog",
            "dog_id INTEGER",
            "owner_id INTEGER",
            "call TEXT",
            "age INTEGER",
            key="dog_id",
            points=(ForeignKey(("owner_id",), "owner", ("owner_id",)),),
        ),
        table(
            "visit",
            "visit_id INTEGER",
            "dog_id INTEGER",
            "vet TEXT",
            "cost INTEGER",
            key="visit_id",
            points=(ForeignKey(("dog_id",), "dog", ("dog_id",)),),
        ),
    )
)
ROWS = """
CREATE TABLE owner (owner_id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, owner_id INTEGER, call TEXT, age INTEGER);
CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, dog_id INTEGER, vet TEXT, cost INTEGER);
INSERT INTO owner VALUES (1, 'Ann', 'Wien'), (2, 'Bo', 'Graz'), (3, 'Cy', 'Wien');
INSERT INTO dog VALUES (11, 1, 'Rex', 2), (12, 1, 'Fly', 4), (13, 2, 'Max', 9), (14, 3, 'Sun', 7);
INSERT INTO visit VALUES (1, 11, 'Day', 50), (2, 11, 'Lee', 70), (3, 13, 'Day', 20), (4, 11, 'Day', 10),
  (5, 13, 'Day', 5),
  (6, 14, 'Day', 1);
"""


def rows(sql: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(ROWS)
        return sorted(connection.execute(sql).fetchall())


@pytest.mark.parametrize(
    ("question", "sql", "right"),
    [
        # the key
        (
            "Towns of visited dogs?",
            "SELECT o.town FROM dog d JOIN owner o ON d.dog_id = o.owner_id",
            [("Graz",), ("Wien",)],
        ),
        (
            "What did Ann's dogs cost?",
            "SELECT SUM(v.cost) FROM visit v JOIN dog d ON v.visit_id = d.owner_id "
            "JOIN owner o ON d.dog_id = o.owner_id WHERE o.name = 'Ann'",
            [(130,)],
        ),
        (
            "Which calls by town?",
            "SELECT o.town, d.call FROM dog d JOIN owner o ON o.owner_id = o.owner_id WHERE d.age > 3",
            [("Wien", "Fly"), ("Graz", "Max"), ("Wien", "Sun")],
        ),
        # a table joined with itself only, which others lead to
        (
            "Visits by town?",
            "SELECT o.town, COUNT(v.visit_id) FROM visit v JOIN owner o ON o.owner_id = o.owner_id GROUP BY o.town",
            [("Graz", 2), ("Wien", 4)],
        ),
        (
            "Visits by owner's name?",
            "SELECT name, COUNT(visit_id) FROM owner o JOIN visit v ON v.dog_id = v.dog_id GROUP BY name",
            [("Ann", 3), ("Bo", 2), ("Cy", 1)],
        ),
        # a join that repeats rows
        (
            "Average age of the dogs that had a visit?",
            "SELECT AVG(d.age) FROM dog d JOIN visit v ON d.dog_id = v.dog_id",
            [(6.0,)],
        ),
        (
            "Average age of the dogs that had visits?",
            "SELECT AVG(d.age) FROM visit v JOIN dog d ON v.dog_id = d.dog_id",
            [(6.0,)],
        ),
        ("Total age of all dogs?", "SELECT SUM(dog.age) FROM dog JOIN visit ON visit.dog_id = dog.dog_id", [(22,)]),
        (
            "Average age by town of the dogs with visits?",
            "SELECT o.town, AVG(d.age) FROM dog d JOIN owner o ON d.owner_id = o.owner_id "
            "JOIN visit v ON v.dog_id = d.dog_id GROUP BY o.town",
            [("Graz", 9.0), ("Wien", 4.5)],
        ),
        # two values at once
        (
            "Which dogs saw Day and Lee?",
            "SELECT d.call FROM dog d JOIN visit v ON v.dog_id = d.dog_id WHERE v.vet = 'Day' AND v.vet = 'Lee'",
            [("Rex",)],
        ),
        (
            "Owners in Wien and Graz?",
            "SELECT name FROM owner WHERE town = 'Wien' AND town = 'Graz'",
            [("Ann",), ("Bo",), ("Cy",)],
        ),
        (
            "Which ids were seen by both Day and Lee?",
            "SELECT dog_id FROM visit WHERE vet = 'Day' AND vet = 'Lee' AND cost > 5",
            [(11,)],
        ),
    ],
)
async def test_what_is_put_right(question: str, sql: str, right: list[tuple[object, ...]]) -> None:
    assert rows(sql) != right, "nothing to mend"
    result = await mend(sql, Source("pets", "sqlite", SCHEMA, FakeConnector()), question)
    assert set(rows(result.sql)) == set(right)
    assert result.notes


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Q", "SELECT o.town FROM dog d JOIN owner o ON d.owner_id = o.owner_id"),
        ("Q", "SELECT 1 FROM dog d JOIN owner o ON d.call = o.name"),
        ("Q", "SELECT d.call FROM dog d JOIN visit v ON v.dog_id = d.dog_id"),
        ("Average cost of a dog's visits?", "SELECT AVG(v.cost) FROM dog d JOIN visit v ON v.dog_id = d.dog_id"),
        ("Age for each vet?", "SELECT v.vet, AVG(d.age) FROM dog d JOIN visit v ON v.dog_id = d.dog_id GROUP BY v.vet"),
        ("How many visits?", "SELECT COUNT(*), AVG(d.age) FROM dog d JOIN visit v ON v.dog_id = d.dog_id"),
        ("Age of all?", "SELECT SUM(d.age) FROM dog d LEFT JOIN visit v ON v.dog_id = d.dog_id"),
        ("Ages of owners' dogs?", "SELECT AVG(d.age) FROM dog d JOIN owner o ON d.owner_id = o.owner_id"),
        ("Both?", "SELECT call FROM dog WHERE age = 2 AND owner_id = 1"),
        ("Both?", "SELECT call FROM dog WHERE age = 2 AND age = 2"),
        ("Both, counted?", "SELECT COUNT(*) FROM visit WHERE vet = 'Day' AND vet = 'Lee'"),
    ],
)
async def test_what_stays(question: str, sql: str) -> None:
    result = await mend(sql, Source("pets", "sqlite", SCHEMA, FakeConnector()), question)
    assert (result.sql, result.notes) == (sql, ())


def test_keys_with_a_beginning_of_their_own_are_inferred() -> None:
    tables = (
        table("sbcustomer", "sbcustid TEXT", "sbcustname TEXT", key="sbcustid"),
        table("sbticker", "sbtickerid TEXT", "sbtickertype TEXT", key="sbtickerid"),
        table("sbtransaction", "sbtxid TEXT", "sbtxcustid TEXT", "sbtxtickerid TEXT", "sbtxpaid TEXT", key="sbtxid"),
        table("address", "address_id INTEGER", "city TEXT", key="address_id"),
        table("airlines", "uid INTEGER", "airline TEXT", key="uid"),
        table("flights", "flight_no INTEGER", "airline INTEGER", "address TEXT", key="flight_no"),
        table("visit", "visit_id INTEGER", "ship_address_id INTEGER", "paid_id INTEGER", key="visit_id"),
    )
    assert inferred_joins(tables, "sqlite") == [
        "sbtransaction.sbtxcustid = sbcustomer.sbcustid",
        "sbtransaction.sbtxtickerid = sbticker.sbtickerid",
        "flights.airline = airlines.uid",
        "visit.ship_address_id = address.address_id",
    ]


def test_keys_of_an_initial_and_keys_that_stand_anywhere_are_inferred() -> None:
    tables = (
        table("author", "aid INTEGER", "name TEXT", "oid INTEGER"),
        table("domain", "name TEXT", "did INTEGER"),
        table("domain_author", "aid INTEGER", "did INTEGER"),
        table("organization", "continent TEXT", "oid INTEGER"),
        table("business", "row INTEGER", "business_id TEXT"),
        table("tip", "tip_id INTEGER", "business_id TEXT", "paid INTEGER"),
    )
    assert inferred_joins(tables, "sqlite") == [
        "author.oid = organization.oid",
        "domain_author.aid = author.aid",
        "domain_author.did = domain.did",
        "tip.business_id = business.business_id",
    ]
