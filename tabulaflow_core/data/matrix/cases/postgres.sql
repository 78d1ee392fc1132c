CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE TYPE spot AS (x double precision, y double precision);
CREATE TABLE branch (id integer PRIMARY KEY, city text NOT NULL, opened date, area double precision, tags text[], kind size, profile jsonb, boss integer, hours int4range);
INSERT INTO branch VALUES (1, 'Lund', '2019-04-01', 81.5, '{oven,seats}', 'medium', '{"open":[7,18],"wifi":true}', NULL, '[7,18)'),
 (2, 'Graz', '2020-09-15', 44.25, '{oven}', 'small', '{"open":[6,14],"wifi":false}', 1, '[6,14)'),
 (3, 'Évora', '2021-02-28', 120, '{}', 'large', '{"open":[],"wifi":null}', 1, 'empty'), (4, 'Cork', NULL, NULL, NULL, NULL, NULL, 2, NULL);
CREATE TABLE sale (id integer PRIMARY KEY, branch_id integer REFERENCES branch (id), item text, qty integer, price numeric(8,2), sold_at timestamp, note text);
INSERT INTO sale VALUES (1, 1, 'rye', 3, 4.5, '2025-01-06 07:10:00', 'delete from shelf'), (2, 1, 'bun', 12, 0.8, '2025-01-06 08:30:00', NULL),
 (3, 2, 'rye', 1, 4.75, '2025-01-07 09:00:00', 'it''s; fresh -- really'), (4, 2, 'tart', 2, 3.2, '2025-01-09 12:45:00', ''),
 (5, 3, 'bun', 30, 0.75, '2025-02-01 06:55:00', 'update /* soon */'), (6, 3, 'pie', 1, 18, '2025-02-02 16:20:00', NULL),
 (7, 1, 'pie', 2, 17.5, '2025-02-14 10:00:00', '100%'), (8, 4, 'rye', 5, 4.6, '2025-03-03 11:11:11', 'a_b'),
 (9, 2, 'bun', 8, 0.85, '2025-03-05 07:45:00', NULL), (10, 1, 'tart', 4, 3, '2025-03-31 23:59:59', 'C:\oven'),
 (11, 3, 'rye', 2, 4.9, '2025-04-01 00:00:00', '?'), (12, 4, 'bun', 6, 0.8, '2025-04-02 13:30:00', 'naïve 面包');
CREATE TABLE "odd names" ("update" text, "select" integer, "größe" double precision, "a""b" text);
INSERT INTO "odd names" VALUES ('drop', 1, 2.5, 'x'), ('grant', 2, NULL, 'y');
CREATE TABLE ledger (id serial PRIMARY KEY, what text);
INSERT INTO ledger (what) VALUES ('opened');
CREATE TABLE recipe (title text, body text, words tsvector GENERATED ALWAYS AS (to_tsvector('english', title || ' ' || body)) STORED);
INSERT INTO recipe VALUES ('Rye loaf', 'mix rye flour with warm water'), ('Plain bun', 'wheat flour and a warm oven'), ('Apple pie', 'apples under a lid');
CREATE SEQUENCE ticket START 100;
CREATE VIEW takings AS SELECT branch_id, sum(qty * price) AS total FROM sale GROUP BY branch_id;
CREATE FUNCTION stamp(what text) RETURNS integer LANGUAGE sql AS 'INSERT INTO ledger (what) VALUES (what) RETURNING id';
CREATE FUNCTION label(s sale) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ledger (what) VALUES (s.item); RETURN s.item; END $$;
CREATE FUNCTION join_texts(a text, b text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ledger (what) VALUES (a); RETURN a || b; END $$;
CREATE OPERATOR ~|~ (FUNCTION = join_texts, LEFTARG = text, RIGHTARG = text);
CREATE FUNCTION odd(i integer) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ledger (what) VALUES ('checked'); RETURN true; END $$;
CREATE DOMAIN odd_number AS integer CHECK (odd(VALUE));
CREATE FUNCTION "Lower"(t text) RETURNS text LANGUAGE sql AS 'INSERT INTO ledger (what) VALUES (t) RETURNING what';
CREATE SCHEMA other;
CREATE FUNCTION other.lower(t text) RETURNS text LANGUAGE sql AS 'INSERT INTO ledger (what) VALUES (t) RETURNING what';
CREATE FUNCTION grow(state integer, t text) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ledger (what) VALUES (t); RETURN state + 1; END $$;
CREATE AGGREGATE count_all(text) (SFUNC = grow, STYPE = integer, INITCOND = '0');
CREATE PROCEDURE clear_out() LANGUAGE sql AS 'DELETE FROM sale';
CREATE VIEW stamped AS SELECT stamp('seen') AS id;
