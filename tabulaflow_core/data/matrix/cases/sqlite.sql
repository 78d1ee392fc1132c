CREATE TABLE branch (id INTEGER PRIMARY KEY, city TEXT NOT NULL, opened DATE, area REAL, tags TEXT, boss INTEGER);
INSERT INTO branch VALUES (1, 'Lund', '2019-04-01', 81.5, '["oven","seats"]', NULL), (2, 'Graz', '2020-09-15', 44.25, '["oven"]', 1),
 (3, 'Évora', '2021-02-28', 120, '[]', 1), (4, 'Cork', NULL, NULL, NULL, 2);
CREATE TABLE sale (id INTEGER PRIMARY KEY, branch_id INTEGER REFERENCES branch (id), item TEXT, qty INTEGER, price NUMERIC, sold_at TEXT, note TEXT);
INSERT INTO sale VALUES (1, 1, 'rye', 3, 4.5, '2025-01-06 07:10:00', 'delete from shelf'), (2, 1, 'bun', 12, 0.8, '2025-01-06 08:30:00', NULL),
 (3, 2, 'rye', 1, 4.75, '2025-01-07 09:00:00', 'it''s; fresh -- really'), (4, 2, 'tart', 2, 3.2, '2025-01-09 12:45:00', ''),
 (5, 3, 'bun', 30, 0.75, '2025-02-01 06:55:00', 'update /* soon */'), (6, 3, 'pie', 1, 18, '2025-02-02 16:20:00', NULL),
 (7, 1, 'pie', 2, 17.5, '2025-02-14 10:00:00', '100%'), (8, 4, 'rye', 5, 4.6, '2025-03-03 11:11:11', 'a_b'),
 (9, 2, 'bun', 8, 0.85, '2025-03-05 07:45:00', NULL), (10, 1, 'tart', 4, 3, '2025-03-31 23:59:59', 'C:\oven'),
 (11, 3, 'rye', 2, 4.9, '2025-04-01 00:00:00', '?'), (12, 4, 'bun', 6, 0.8, '2025-04-02 13:30:00', 'naïve 面包');
CREATE TABLE "odd names" ("update" TEXT, "select" INTEGER, "größe" REAL, "a""b" TEXT);
INSERT INTO "odd names" VALUES ('drop', 1, 2.5, 'x'), ('grant', 2, NULL, 'y');
CREATE TABLE ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT);
INSERT INTO ledger (what) VALUES ('opened');
CREATE VIRTUAL TABLE recipe USING fts5(title, body);
INSERT INTO recipe VALUES ('Rye loaf', 'mix rye flour with warm water'), ('Plain bun', 'wheat flour and a warm oven'), ('Apple pie', 'apples under a lid');
CREATE VIRTUAL TABLE place USING rtree(id, min_x, max_x, min_y, max_y);
INSERT INTO place VALUES (1, 0, 1, 0, 1), (2, 5, 6, 5, 6);
CREATE VIEW takings AS SELECT branch_id, sum(qty * price) AS total FROM sale GROUP BY branch_id;
CREATE VIEW counter AS SELECT id, item FROM sale;
CREATE TRIGGER counter_in INSTEAD OF INSERT ON counter BEGIN INSERT INTO ledger (what) VALUES (NEW.item); END;
CREATE INDEX sale_item ON sale (item);
