CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE TABLE branch (id INTEGER PRIMARY KEY, city VARCHAR NOT NULL, opened DATE, area DOUBLE, tags VARCHAR[], kind size, spot STRUCT(x DOUBLE, y DOUBLE), prices MAP(VARCHAR, DECIMAL(6,2)), profile JSON, boss INTEGER);
INSERT INTO branch VALUES (1, 'Lund', '2019-04-01', 81.5, ['oven', 'seats'], 'medium', {'x': 13.2, 'y': 55.7}, MAP {'rye': 4.5, 'bun': 0.8}, '{"open":[7,18],"wifi":true}', NULL),
 (2, 'Graz', '2020-09-15', 44.25, ['oven'], 'small', {'x': 15.4, 'y': 47.1}, MAP {'rye': 4.75}, '{"open":[6,14],"wifi":false}', 1),
 (3, 'Évora', '2021-02-28', 120, [], 'large', {'x': -7.9, 'y': 38.6}, MAP {}, '{"open":[],"wifi":null}', 1), (4, 'Cork', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2);
CREATE TABLE sale (id INTEGER PRIMARY KEY, branch_id INTEGER, item VARCHAR, qty INTEGER, price DECIMAL(8,2), sold_at TIMESTAMP, note VARCHAR);
INSERT INTO sale VALUES (1, 1, 'rye', 3, 4.5, '2025-01-06 07:10:00', 'delete from shelf'), (2, 1, 'bun', 12, 0.8, '2025-01-06 08:30:00', NULL),
 (3, 2, 'rye', 1, 4.75, '2025-01-07 09:00:00', 'it''s; fresh -- really'), (4, 2, 'tart', 2, 3.2, '2025-01-09 12:45:00', ''),
 (5, 3, 'bun', 30, 0.75, '2025-02-01 06:55:00', 'update /* soon */'), (6, 3, 'pie', 1, 18, '2025-02-02 16:20:00', NULL),
 (7, 1, 'pie', 2, 17.5, '2025-02-14 10:00:00', '100%'), (8, 4, 'rye', 5, 4.6, '2025-03-03 11:11:11', 'a_b'),
 (9, 2, 'bun', 8, 0.85, '2025-03-05 07:45:00', NULL), (10, 1, 'tart', 4, 3, '2025-03-31 23:59:59', 'C:\oven'),
 (11, 3, 'rye', 2, 4.9, '2025-04-01 00:00:00', '?'), (12, 4, 'bun', 6, 0.8, '2025-04-02 13:30:00', 'naïve 面包');
CREATE TABLE "odd names" ("update" VARCHAR, "select" INTEGER, "größe" DOUBLE, "a""b" VARCHAR);
INSERT INTO "odd names" VALUES ('drop', 1, 2.5, 'x'), ('grant', 2, NULL, 'y');
CREATE TABLE budget (branch_id INTEGER, jan INTEGER, feb INTEGER, mar INTEGER);
INSERT INTO budget VALUES (1, 10, 20, 30), (2, 5, NULL, 7);
CREATE TABLE rate (item VARCHAR, since TIMESTAMP, vat DECIMAL(4,2));
INSERT INTO rate VALUES ('rye', '2025-01-01', 0.05), ('rye', '2025-02-15', 0.07), ('bun', '2025-01-01', 0.1);
CREATE SEQUENCE ticket START 100;
CREATE VIEW takings AS SELECT branch_id, sum(qty * price) AS total FROM sale GROUP BY branch_id;
CREATE MACRO peek(path) AS TABLE SELECT * FROM read_text(path);
CREATE MACRO drawn() AS nextval('ticket');
CREATE INDEX sale_item ON sale (item);
