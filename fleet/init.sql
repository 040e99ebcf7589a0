-- The schema of a fleet. Run as a superuser, as one transaction; twice is once.
-- Ids, names and texts are bytea: a host's bytes need not be UTF-8. Numbers of 64 bits are bigint, their bits as they are.
SELECT pg_advisory_xact_lock(7881697004), set_config('synchronous_commit', 'on', true);

SET LOCAL search_path = pg_catalog, pg_temp;

-- Roles belong to all databases of a cluster, so another database may have made them.
DO $$ DECLARE r text; BEGIN
    FOREACH r IN ARRAY ARRAY['xylem_owner', 'xylem_host', 'xylem_reader', 'xylem_admin'] LOOP
        IF to_regrole(r) IS NULL THEN EXECUTE format('CREATE ROLE %I NOLOGIN', r); END IF;
    END LOOP;
    IF NOT pg_has_role('xylem_admin', 'xylem_owner', 'MEMBER') THEN
        GRANT xylem_owner TO xylem_admin;               -- VACUUM FULL is for a table's owner
    END IF;
    IF NOT pg_has_role('xylem_owner', 'pg_read_all_stats', 'MEMBER') THEN
        GRANT pg_read_all_stats TO xylem_owner;         -- standbys()
    END IF;
    IF to_regrole('pg_checkpoint') IS NOT NULL AND NOT pg_has_role('xylem_admin', 'pg_checkpoint', 'MEMBER') THEN
        GRANT pg_checkpoint TO xylem_admin;             -- old files of a table that was rewritten go with a checkpoint
    END IF;
END $$;
-- What a stranger put into a schema of that name would run as a superuser here.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'xylem' AND nspowner <> to_regrole('xylem_owner')) THEN
        RAISE EXCEPTION 'the schema xylem belongs to another role than xylem_owner: take another database'
            USING ERRCODE = 'duplicate_schema';
    END IF;
    IF to_regclass('xylem.fleet') IS NOT NULL THEN
        IF (SELECT version FROM xylem.fleet) > 1 THEN
            RAISE EXCEPTION 'the schema xylem is of a newer xylem-fleet: install that version'
                USING ERRCODE = 'object_not_in_prerequisite_state';
        END IF;
    END IF;
END $$;
CREATE SCHEMA IF NOT EXISTS xylem AUTHORIZATION xylem_owner;
GRANT USAGE ON SCHEMA xylem TO xylem_host, xylem_reader, xylem_admin;
SET LOCAL ROLE xylem_owner;
SET LOCAL search_path = xylem, pg_temp;

DO $do$ BEGIN
IF to_regclass('xylem.fleet') IS NULL THEN
    CREATE TABLE fleet (one boolean PRIMARY KEY DEFAULT true CHECK (one), id bytea NOT NULL CHECK (octet_length(id) = 16),
        version int NOT NULL);
    INSERT INTO fleet (id, version) VALUES (uuid_send(gen_random_uuid()), 1);
    CREATE TABLE members (login name PRIMARY KEY, grp text NOT NULL);
    -- What each append writes anew, and nothing else. owner NULL: released. pending: chunks came without their segment.
    CREATE TABLE sessions (id bytea PRIMARY KEY CHECK (octet_length(id) BETWEEN 1 AND 200), grp text NOT NULL,
        epoch bigint NOT NULL, owner bytea CHECK (octet_length(owner) = 16), next_ord bigint NOT NULL, chain bigint NOT NULL,
        generation bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0, freed boolean NOT NULL DEFAULT false,
        pending boolean NOT NULL DEFAULT false, host bytea NOT NULL CHECK (octet_length(host) <= 200),
        heard timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 70);
    CREATE INDEX sessions_of_group ON sessions (grp, id);
    -- The head is a frame of zstd.
    CREATE TABLE heads (session bytea PRIMARY KEY, about bytea CHECK (octet_length(about) <= 4096),
        head bytea CHECK (octet_length(head) <= 65536)) PARTITION BY HASH (session);
    -- A frame of zstd. Of a frame over 1 MiB the body is the first part, and `parts` further ones are chunks of its sum.
    CREATE TABLE segments (session bytea, ord bigint, upto bigint NOT NULL CHECK (upto > ord), chain bigint NOT NULL,
        generation bigint NOT NULL, parts bigint NOT NULL, sum bigint NOT NULL,
        body bytea NOT NULL CHECK (octet_length(body) <= 1048576), PRIMARY KEY (session, ord)) PARTITION BY HASH (session);
    CREATE TABLE chunks (session bytea, ord bigint, sum bigint, part bigint,
        body bytea NOT NULL CHECK (octet_length(body) <= 1048576), PRIMARY KEY (session, ord, sum, part))
        PARTITION BY HASH (session);
    FOR i IN 0..63 LOOP
        EXECUTE format('CREATE TABLE segments_%s PARTITION OF segments FOR VALUES WITH (MODULUS 64, REMAINDER %s)', i, i);
        EXECUTE format('CREATE TABLE chunks_%s PARTITION OF chunks FOR VALUES WITH (MODULUS 64, REMAINDER %s)', i, i);
        EXECUTE format('CREATE TABLE heads_%s PARTITION OF heads FOR VALUES WITH (MODULUS 64, REMAINDER %s)', i, i);
        -- Statistics are samples: redacted text would stay in pg_statistic.
        EXECUTE format('ALTER TABLE segments_%s ALTER body SET STORAGE EXTERNAL, ALTER body SET STATISTICS 0', i);
        EXECUTE format('ALTER TABLE chunks_%s ALTER body SET STORAGE EXTERNAL, ALTER body SET STATISTICS 0', i);
        EXECUTE format('ALTER TABLE heads_%s ALTER about SET STATISTICS 0, ALTER head SET STATISTICS 0', i);
    END LOOP;
    ALTER TABLE segments ALTER body SET STATISTICS 0;
    ALTER TABLE chunks ALTER body SET STATISTICS 0;
    ALTER TABLE heads ALTER about SET STATISTICS 0, ALTER head SET STATISTICS 0;
    -- Partitions whose files still hold text that was taken out: segments_PART, chunks_PART, heads_PART. `times` counts, so
    -- that whoever cleans a partition deletes the row only if nothing was taken out meanwhile.
    CREATE TABLE rewritten (part int PRIMARY KEY, times bigint NOT NULL DEFAULT 1);
    -- A session's row as the functions answer.
    CREATE TYPE shown AS (id bytea, epoch bigint, next_ord bigint, chain bigint, mine boolean, unowned boolean, freed boolean,
        generation bigint, bytes bigint, host bytea, silent_ms bigint, about bytea, head bytea);
END IF;
END $do$;

-- --- Inside ---

-- plpgsql keeps a plan for the connection; LANGUAGE sql would plan 64 partitions anew with each call.
CREATE OR REPLACE FUNCTION show(x sessions, o bytea, h boolean) RETURNS shown
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
DECLARE ab bytea; hd bytea;
BEGIN
    SELECT k.about, CASE WHEN h THEN k.head END INTO ab, hd FROM heads k WHERE k.session = x.id;
    RETURN (x.id, x.epoch, x.next_ord, x.chain, coalesce(x.owner = o, false), x.owner IS NULL, x.freed, x.generation, x.bytes,
        x.host, greatest(0, extract(epoch FROM clock_timestamp() - x.heard) * 1000)::bigint, ab, hd);
END $$;

CREATE OR REPLACE FUNCTION note(s bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
DECLARE i int;
BEGIN                                                   -- the tables have one modulus, so one number names all three
    SELECT n INTO STRICT i FROM generate_series(0, 63) n
     WHERE satisfies_hash_partition('xylem.segments'::regclass, 64, n, s);
    INSERT INTO rewritten AS w (part) VALUES (i) ON CONFLICT (part) DO UPDATE SET times = w.times + 1;
END $$;

-- A violated CHECK would print the first bytes of a body to the caller and into the log: so bounds come first.
CREATE OR REPLACE FUNCTION bound(what text, b bytea, most int) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% has at most % bytes, and this has %', what, most, octet_length(b)
        USING ERRCODE = 'string_data_right_truncation';
END $$;

-- The bytes of the n chunks of a frame; 0 without chunks, NULL if one is missing.
CREATE OR REPLACE FUNCTION chunked(s bytea, f bigint, k bigint, n bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    IF n = 0 THEN RETURN 0; END IF;
    RETURN (SELECT CASE WHEN count(*) = n THEN sum(octet_length(c.body)) END FROM chunks c
             WHERE c.session = s AND c.ord = f AND c.sum = k AND c.part BETWEEN 1 AND n);
END $$;

-- Chunks without their segment, of a frame that did not come or was replaced: their text may be redacted since.
CREATE OR REPLACE FUNCTION sweep(s bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    UPDATE sessions x SET pending = false WHERE x.id = s AND x.pending;
    DELETE FROM chunks c WHERE c.session = s AND NOT EXISTS (SELECT FROM segments q
        WHERE q.session = s AND q.ord = c.ord AND q.sum = c.sum AND q.parts >= c.part);
    IF FOUND THEN PERFORM note(s); END IF;
END $$;

-- What lists show, and the head; NULL: stays.
CREATE OR REPLACE FUNCTION keep(s bytea, ab bytea, hd bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    IF octet_length(ab) > 4096 THEN PERFORM bound('what lists show of a session', ab, 4096); END IF;
    IF octet_length(hd) > 65536 THEN PERFORM bound('the head of a session', hd, 65536); END IF;
    INSERT INTO heads AS z VALUES (s, ab, hd) ON CONFLICT (session) DO UPDATE
       SET about = coalesce(excluded.about, z.about), head = coalesce(excluded.head, z.head);
END $$;

-- --- Functions that write ---
-- synchronous_commit is set in the body: as a clause of the function the setting would end before the COMMIT.

CREATE OR REPLACE FUNCTION claim(s bytea, seen bigint, o bytea, h bytea, make boolean) RETURNS SETOF shown
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN                                                   -- said twice = once: the own token has won
    PERFORM set_config('synchronous_commit', 'on', true);
    IF octet_length(s) NOT BETWEEN 1 AND 200 THEN PERFORM bound('the id of a session', s, 200); END IF;
    IF octet_length(h) > 200 THEN PERFORM bound('the name of a host', h, 200); END IF;
    IF octet_length(o) <> 16 THEN PERFORM bound('a token', o, 16); END IF;
    IF make THEN
        INSERT INTO sessions (id, grp, epoch, owner, next_ord, chain, host)
        SELECT s, m.grp, seen, o, 1, 0, h FROM members m WHERE m.login = session_user ON CONFLICT DO NOTHING;
    END IF;
    RETURN QUERY WITH u AS (UPDATE sessions x SET epoch = seen + 1, owner = o, host = h, heard = now() FROM members m
        WHERE x.id = s AND m.login = session_user AND x.grp = m.grp
          AND (x.epoch = seen OR x.epoch = seen + 1 AND x.owner = o) RETURNING x)
    SELECT v.* FROM u, LATERAL show(u.x, o, true) v;
END $$;

CREATE OR REPLACE FUNCTION append(s bytea, e bigint, o bytea, f bigint, t bigint, before bigint, after bigint, b bytea,
    n bigint, k bigint, ab bytea, hd bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
DECLARE p boolean; c bigint := chunked(s, f, k, n);
BEGIN                                                   -- false: look()
    PERFORM set_config('synchronous_commit', 'on', true);
    IF octet_length(b) > 1048576 THEN PERFORM bound('a part of a segment', b, 1048576); END IF;
    WITH u AS (UPDATE sessions x SET next_ord = t, chain = after, heard = now(), bytes = x.bytes + octet_length(b) + c
                  FROM members m WHERE m.login = session_user AND x.grp = m.grp AND x.id = s AND x.epoch = e
                   AND x.owner = o AND x.next_ord = f AND x.chain = before AND NOT x.freed AND t > f
                   AND c IS NOT NULL
                  RETURNING x.generation, x.pending),
         g AS (INSERT INTO segments SELECT s, f, t, after, u.generation, n, k, b FROM u)
    SELECT u.pending INTO p FROM u;
    IF p IS NULL THEN RETURN false; END IF;
    IF ab IS NOT NULL OR hd IS NOT NULL THEN PERFORM keep(s, ab, hd); END IF;
    IF p THEN PERFORM sweep(s); END IF;
    RETURN true;
END $$;

-- For an append r is -1, for a rewrite its generation: a chunk that arrives behind its segment is not taken.
CREATE OR REPLACE FUNCTION chunk(s bytea, e bigint, o bytea, r bigint, f bigint, k bigint, i bigint, b bytea)
    RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN                                                   -- said twice = once; the append or rewrite that counts it acknowledges
    PERFORM set_config('synchronous_commit', 'on', true);
    IF octet_length(b) > 1048576 THEN PERFORM bound('a part of a segment', b, 1048576); END IF;
    WITH u AS (UPDATE sessions x SET pending = true, heard = now() FROM members m WHERE m.login = session_user
                  AND x.grp = m.grp AND x.id = s AND x.epoch = e AND x.owner = o
                  AND (f = 0 OR NOT x.freed AND CASE WHEN r < 0 THEN x.next_ord = f
                                                     ELSE x.generation = r AND x.next_ord > f END) RETURNING 1)
    INSERT INTO chunks AS x SELECT s, f, k, i, b FROM u
        ON CONFLICT (session, ord, sum, part) DO UPDATE SET body = excluded.body;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION look(s bytea, o bytea) RETURNS SETOF shown
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN                                                   -- writes: its COMMIT waits for a standby, and it waits for an append in flight
    PERFORM set_config('synchronous_commit', 'on', true);
    RETURN QUERY WITH u AS (UPDATE sessions x SET heard = CASE WHEN x.owner = o THEN now() ELSE x.heard END FROM members m
        WHERE x.id = s AND m.login = session_user AND x.grp = m.grp RETURNING x)
    SELECT v.* FROM u, LATERAL show(u.x, o, false) v;
END $$;

-- r is the generation that the rewrite replaces: a rewrite that was given up and arrives late changes nothing.
CREATE OR REPLACE FUNCTION rewrite(s bytea, e bigint, o bytea, r bigint, f bigint, t bigint, b bytea, n bigint, k bigint,
    ab bytea, hd bytea) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
DECLARE c bigint := chunked(s, f, k, n); d bigint;
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true);
    IF octet_length(b) > 1048576 THEN PERFORM bound('a part of a segment', b, 1048576); END IF;
    SELECT octet_length(q.body) + chunked(s, f, q.sum, q.parts) INTO d FROM segments q
     WHERE q.session = s AND q.ord = f AND q.upto = t;
    UPDATE sessions x SET generation = r + 1, heard = now(), bytes = x.bytes + octet_length(b) + c - d FROM members m
     WHERE m.login = session_user AND x.grp = m.grp AND x.id = s AND x.epoch = e AND x.owner = o AND NOT x.freed
       AND x.generation = r AND c IS NOT NULL AND d IS NOT NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE segments q SET body = b, parts = n, sum = k, generation = r + 1 WHERE q.session = s AND q.ord = f;
    IF ab IS NOT NULL OR hd IS NOT NULL THEN PERFORM keep(s, ab, hd); END IF;
    PERFORM sweep(s);
    PERFORM note(s);
    RETURN true;
END $$;

-- The remains, if there are any, are a segment with the ordinal 0.
CREATE OR REPLACE FUNCTION free(s bytea, e bigint, o bytea, b bytea, n bigint, k bigint, ab bytea)
    RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
DECLARE c bigint := chunked(s, 0, k, n); g bigint;
BEGIN                                                   -- said twice = once
    PERFORM set_config('synchronous_commit', 'on', true);
    IF octet_length(b) > 1048576 THEN PERFORM bound('a part of a segment', b, 1048576); END IF;
    UPDATE sessions x SET freed = true, generation = x.generation + 1, heard = now(), bytes = octet_length(b) + c
      FROM members m WHERE m.login = session_user AND x.grp = m.grp AND x.id = s AND x.epoch = e AND x.owner = o
       AND c IS NOT NULL RETURNING x.generation INTO g;
    IF g IS NULL THEN RETURN false; END IF;
    DELETE FROM segments q WHERE q.session = s;
    UPDATE heads q SET head = NULL WHERE q.session = s;
    IF ab IS NOT NULL THEN PERFORM keep(s, ab, NULL); END IF;
    IF octet_length(b) > 0 THEN INSERT INTO segments VALUES (s, 0, 1, 0, g, n, k, b); END IF;
    PERFORM sweep(s);
    PERFORM note(s);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION release(s bytea, e bigint, o bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true);
    UPDATE sessions x SET owner = NULL, heard = now() FROM members m
     WHERE m.login = session_user AND x.grp = m.grp AND x.id = s AND x.epoch = e AND x.owner = o;
    RETURN FOUND;
END $$;

-- --- Functions that read ---

CREATE OR REPLACE FUNCTION engine(OUT id bytea, OUT version int, OUT grp text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
    SELECT f.id, f.version, (SELECT m.grp FROM members m WHERE m.login = session_user) FROM fleet f $$;

CREATE OR REPLACE FUNCTION "row"(s bytea, o bytea, h boolean) RETURNS SETOF shown
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT v.* FROM sessions x JOIN members m ON m.grp = x.grp, LATERAL show(x, o, h) v
     WHERE x.id = s AND m.login = session_user;
END $$;

-- Remains, and segments that end behind f, in the order of their ordinals: n at most, and of more than one no more than
-- `most` bytes.
CREATE OR REPLACE FUNCTION read(s bytea, f bigint, n bigint, most bigint) RETURNS TABLE (ord bigint, upto bigint,
    chain bigint, generation bigint, parts bigint, sum bigint, body bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
#variable_conflict use_column
DECLARE first bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM sessions x JOIN members m ON m.grp = x.grp WHERE x.id = s AND m.login = session_user) THEN
        RETURN;
    END IF;
    SELECT y.ord INTO first FROM segments y WHERE y.session = s AND y.ord <= f ORDER BY y.ord DESC LIMIT 1;
    RETURN QUERY SELECT w.ord, w.upto, w.chain, w.generation, w.parts, w.sum, w.body FROM (
        SELECT g.*, sum(octet_length(g.body) + g.parts * 1048576) OVER (ORDER BY g.ord) AS total,
            row_number() OVER (ORDER BY g.ord) AS place FROM (
            SELECT q.* FROM segments q WHERE q.session = s AND (q.upto > f OR q.ord = 0) AND q.ord >= coalesce(first, 0)
             ORDER BY q.ord LIMIT n) g) w
     WHERE w.total <= most OR w.place = 1 ORDER BY w.ord;
END $$;

CREATE OR REPLACE FUNCTION part(s bytea, f bigint, k bigint, i bigint) RETURNS SETOF bytea
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT c.body FROM chunks c JOIN sessions x ON x.id = c.session JOIN members m ON m.grp = x.grp
     WHERE c.session = s AND c.ord = f AND c.sum = k AND c.part = i AND m.login = session_user;
END $$;

CREATE OR REPLACE FUNCTION list(o bytea, behind bytea, n bigint) RETURNS SETOF shown
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT v.* FROM (SELECT x FROM sessions x JOIN members m ON m.grp = x.grp
        WHERE m.login = session_user AND x.id > coalesce(behind, '') ORDER BY x.id LIMIT n) w, LATERAL show(w.x, o, false) v
     ORDER BY v.id;
END $$;

-- Who receives from the primary: a host may not look itself.
CREATE OR REPLACE FUNCTION standbys() RETURNS TABLE (application_name text, state text, sync_state text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.application_name, r.state, r.sync_state FROM pg_stat_replication r $$;

-- --- Members ---

CREATE OR REPLACE FUNCTION member_set(l name, g text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true);
    INSERT INTO members VALUES (l, g) ON CONFLICT (login) DO UPDATE SET grp = excluded.grp;
END $$;

CREATE OR REPLACE FUNCTION member_remove(l name) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true);
    DELETE FROM members m WHERE m.login = l;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION member_list() RETURNS SETOF members
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = xylem, pg_temp AS $$
    SELECT m.* FROM members m ORDER BY m.login $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA xylem FROM PUBLIC; -- behind the last CREATE FUNCTION: the default is PUBLIC
GRANT EXECUTE ON FUNCTION claim, append, chunk, look, rewrite, free, release TO xylem_host;
GRANT EXECUTE ON FUNCTION engine, "row", read, part, list, standbys TO xylem_host, xylem_reader;
GRANT EXECUTE ON FUNCTION engine, standbys, member_set, member_remove, member_list TO xylem_admin;
RESET ROLE;
