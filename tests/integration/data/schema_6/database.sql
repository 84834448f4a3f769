--
-- PostgreSQL database dump
--



-- Dumped from database version 18.6
-- Dumped by pg_dump version 18.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: events; Type: TABLE; Schema: public; Owner: ttt
--

CREATE TABLE public.events (
    room text NOT NULL COLLATE pg_catalog."C",
    seq integer NOT NULL,
    event text NOT NULL,
    lesson text,
    taught_at timestamp with time zone
);


ALTER TABLE public.events OWNER TO ttt;

--
-- Name: lessons; Type: TABLE; Schema: public; Owner: ttt
--

CREATE TABLE public.lessons (
    id uuid NOT NULL,
    games text NOT NULL,
    taught_at timestamp with time zone NOT NULL
);


ALTER TABLE public.lessons OWNER TO ttt;

--
-- Name: meta; Type: TABLE; Schema: public; Owner: ttt
--

CREATE TABLE public.meta (
    key text NOT NULL,
    value text NOT NULL
);


ALTER TABLE public.meta OWNER TO ttt;

--
-- Name: rooms; Type: TABLE; Schema: public; Owner: ttt
--

CREATE TABLE public.rooms (
    name text NOT NULL COLLATE pg_catalog."C",
    owner uuid,
    summary jsonb,
    changed_at timestamp with time zone NOT NULL
);


ALTER TABLE public.rooms OWNER TO ttt;

--
-- Name: servers; Type: TABLE; Schema: public; Owner: ttt
--

CREATE TABLE public.servers (
    id uuid NOT NULL,
    address text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    alive_until timestamp with time zone NOT NULL,
    rooms integer NOT NULL,
    connections integer NOT NULL
);


ALTER TABLE public.servers OWNER TO ttt;

--
-- Name: snapshots; Type: TABLE; Schema: public; Owner: ttt
--

CREATE TABLE public.snapshots (
    room text NOT NULL COLLATE pg_catalog."C",
    seq integer NOT NULL,
    game integer NOT NULL,
    saved bytea NOT NULL,
    is_start boolean DEFAULT false NOT NULL
);


ALTER TABLE public.snapshots OWNER TO ttt;

--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: ttt
--

INSERT INTO public.events VALUES ('finished', 1, '{"type":"created","seq":1,"at":1795698097696,"settings":{"rules":{"columns":3,"rows":3,"in_a_row":3,"gravity":false},"seats":{"X":"human","O":"human"},"clock":null,"grace_s":60,"public":true,"spectators":true,"hints":false,"games":1,"pace_s":0}}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 2, '{"type":"seated","seq":2,"at":1795698097696,"seat":"X","player":{"kind":"human","id":"xxe8wbsbtw1s","name":"ada"}}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 3, '{"type":"seated","seq":3,"at":1795698097701,"seat":"O","player":{"kind":"human","id":"q6vqxgz6xc44","name":"bob"}}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 4, '{"type":"started","seq":4,"at":1795698097701,"game":1}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 5, '{"type":"played","seq":5,"at":1795698097702,"game":1,"ply":0,"seat":"X","cell":0}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 6, '{"type":"played","seq":6,"at":1795698097703,"game":1,"ply":1,"seat":"O","cell":3}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 7, '{"type":"played","seq":7,"at":1795698097703,"game":1,"ply":2,"seat":"X","cell":1}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 8, '{"type":"played","seq":8,"at":1795698097704,"game":1,"ply":3,"seat":"O","cell":4}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 9, '{"type":"played","seq":9,"at":1795698097704,"game":1,"ply":4,"seat":"X","cell":2}', NULL, NULL);
INSERT INTO public.events VALUES ('finished', 10, '{"type":"ended","seq":10,"at":1795698097704,"game":1,"outcome":{"winner":"X","reason":"line","line":[0,1,2]}}', '01346X', '2026-11-26 13:01:37.705413+00');
INSERT INTO public.events VALUES ('running', 1, '{"type":"created","seq":1,"at":1795698097707,"settings":{"rules":{"columns":3,"rows":3,"in_a_row":3,"gravity":false},"seats":{"X":"human","O":"human"},"clock":null,"grace_s":60,"public":true,"spectators":true,"hints":false,"games":1,"pace_s":0}}', NULL, NULL);
INSERT INTO public.events VALUES ('running', 2, '{"type":"seated","seq":2,"at":1795698097707,"seat":"X","player":{"kind":"human","id":"chbsanehx40w","name":"ada"}}', NULL, NULL);
INSERT INTO public.events VALUES ('running', 3, '{"type":"seated","seq":3,"at":1795698097709,"seat":"O","player":{"kind":"human","id":"jgmtsx27bdac","name":"bob"}}', NULL, NULL);
INSERT INTO public.events VALUES ('running', 4, '{"type":"started","seq":4,"at":1795698097709,"game":1}', NULL, NULL);
INSERT INTO public.events VALUES ('running', 5, '{"type":"played","seq":5,"at":1795698097710,"game":1,"ply":0,"seat":"X","cell":4}', NULL, NULL);
INSERT INTO public.events VALUES ('running', 6, '{"type":"played","seq":6,"at":1795698097710,"game":1,"ply":1,"seat":"O","cell":0}', NULL, NULL);
INSERT INTO public.events VALUES ('locked', 1, '{"type":"created","seq":1,"at":1795698097759,"settings":{"rules":{"columns":3,"rows":3,"in_a_row":3,"gravity":false},"seats":{"X":"human","O":"human"},"clock":null,"grace_s":60,"public":false,"spectators":true,"hints":false,"games":1,"pace_s":0},"lock":"AJ63PmTMv2t3Uo8L5vVmQw==.U4RpZXOXeWfqKnOM0HAeNsaxZHm6g_ILq6hzHcO4kDQ="}', NULL, NULL);
INSERT INTO public.events VALUES ('locked', 2, '{"type":"seated","seq":2,"at":1795698097759,"seat":"X","player":{"kind":"human","id":"n92cpyhtfah2","name":"ada"}}', NULL, NULL);
INSERT INTO public.events VALUES ('locked', 3, '{"type":"seated","seq":3,"at":1795698097806,"seat":"O","player":{"kind":"human","id":"pvfa2e43rs0b","name":"bob"}}', NULL, NULL);
INSERT INTO public.events VALUES ('locked', 4, '{"type":"started","seq":4,"at":1795698097806,"game":1}', NULL, NULL);
INSERT INTO public.events VALUES ('running', 7, '{"type":"played","seq":7,"at":1795698098369,"game":1,"ply":2,"seat":"X","cell":8}', NULL, NULL);
INSERT INTO public.events VALUES ('learner', 1, '{"type":"created","seq":1,"at":1795698098371,"settings":{"rules":{"columns":3,"rows":3,"in_a_row":3,"gravity":false},"seats":{"X":"human","O":{"strategy":"learner","level":null}},"clock":null,"grace_s":60,"public":true,"spectators":true,"hints":false,"games":1,"pace_s":0}}', NULL, NULL);
INSERT INTO public.events VALUES ('learner', 2, '{"type":"seated","seq":2,"at":1795698098371,"seat":"O","player":{"kind":"ai","id":null,"name":"learner","strategy":"learner","level":null}}', NULL, NULL);
INSERT INTO public.events VALUES ('learner', 3, '{"type":"seated","seq":3,"at":1795698098371,"seat":"X","player":{"kind":"human","id":"fd976f6hrdbk","name":"eve"}}', NULL, NULL);
INSERT INTO public.events VALUES ('learner', 4, '{"type":"started","seq":4,"at":1795698098371,"game":1}', NULL, NULL);
INSERT INTO public.events VALUES ('learner', 5, '{"type":"ended","seq":5,"at":1795698098373,"game":1,"outcome":{"winner":"O","reason":"resignation","line":null}}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 1, '{"type":"created","seq":1,"at":1795698098375,"settings":{"rules":{"columns":3,"rows":3,"in_a_row":3,"gravity":false},"seats":{"X":"human","O":"human"},"clock":null,"grace_s":60,"public":true,"spectators":true,"hints":false,"games":1,"pace_s":0}}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 2, '{"type":"seated","seq":2,"at":1795698098375,"seat":"X","player":{"kind":"human","id":"5bdark09q2cw","name":"ada"}}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 3, '{"type":"seated","seq":3,"at":1795698098377,"seat":"O","player":{"kind":"human","id":"jf1jctwbj9ke","name":"bob"}}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 4, '{"type":"started","seq":4,"at":1795698098377,"game":1}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 5, '{"type":"played","seq":5,"at":1795698098378,"game":1,"ply":0,"seat":"X","cell":4}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 6, '{"type":"played","seq":6,"at":1795698098378,"game":1,"ply":1,"seat":"O","cell":1}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 7, '{"type":"played","seq":7,"at":1795698098379,"game":1,"ply":2,"seat":"X","cell":0}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 8, '{"type":"played","seq":8,"at":1795698098380,"game":1,"ply":3,"seat":"O","cell":8}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 9, '{"type":"played","seq":9,"at":1795698098380,"game":1,"ply":4,"seat":"X","cell":6}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 10, '{"type":"played","seq":10,"at":1795698098381,"game":1,"ply":5,"seat":"O","cell":2}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 11, '{"type":"played","seq":11,"at":1795698098381,"game":1,"ply":6,"seat":"X","cell":3}', NULL, NULL);
INSERT INTO public.events VALUES ('taught', 12, '{"type":"ended","seq":12,"at":1795698098381,"game":1,"outcome":{"winner":"X","reason":"line","line":[0,3,6]}}', '4108623X', '2026-11-26 13:01:38.382077+00');
INSERT INTO public.events VALUES ('event/friday', 1, '{"seq":1,"at":1795698098389,"type":"opened","title":"friday","settings":{"form":"round-robin","rules":{"columns":3,"rows":3,"in_a_row":3,"gravity":false},"minutes":20,"rounds":5,"games":1,"grace_s":30,"late_half_points":false,"max_players":500},"organiser":"ja68ejnq0vth"}', NULL, NULL);
INSERT INTO public.events VALUES ('event/friday', 2, '{"seq":2,"at":1795698098394,"type":"entered","player":"9twche248j84","name":"cid","bot":false,"stand_in":false,"bonus":0}', NULL, NULL);


--
-- Data for Name: lessons; Type: TABLE DATA; Schema: public; Owner: ttt
--



--
-- Data for Name: meta; Type: TABLE DATA; Schema: public; Owner: ttt
--

INSERT INTO public.meta VALUES ('schema', '1');
INSERT INTO public.meta VALUES ('secret_fingerprint', '5a12c9408e116efacc02156c07f4dcaa');
INSERT INTO public.meta VALUES ('secret', '9Mz5O4IdygZ6OTNqmzm6Qv/NUVW6FWx6A8XHIqv+fwI=');


--
-- Data for Name: rooms; Type: TABLE DATA; Schema: public; Owner: ttt
--

INSERT INTO public.rooms VALUES ('running', '3e188387-49a8-4f97-b7e3-c9c36dc0a46f', NULL, '2026-11-26 13:01:37.70664+00');
INSERT INTO public.rooms VALUES ('finished', '3e188387-49a8-4f97-b7e3-c9c36dc0a46f', NULL, '2026-11-26 13:01:37.690339+00');
INSERT INTO public.rooms VALUES ('locked', '3e188387-49a8-4f97-b7e3-c9c36dc0a46f', NULL, '2026-11-26 13:01:37.711709+00');
INSERT INTO public.rooms VALUES ('learner', '3e188387-49a8-4f97-b7e3-c9c36dc0a46f', NULL, '2026-11-26 13:01:38.370837+00');
INSERT INTO public.rooms VALUES ('taught', '3e188387-49a8-4f97-b7e3-c9c36dc0a46f', NULL, '2026-11-26 13:01:38.375456+00');
INSERT INTO public.rooms VALUES ('event/friday', '3e188387-49a8-4f97-b7e3-c9c36dc0a46f', NULL, '2026-11-26 13:01:38.383277+00');


--
-- Data for Name: servers; Type: TABLE DATA; Schema: public; Owner: ttt
--

INSERT INTO public.servers VALUES ('3e188387-49a8-4f97-b7e3-c9c36dc0a46f', 'ws://127.0.0.1:41215', '2026-11-26 13:01:38.341042+00', '2026-11-26 13:01:43.341042+00', 0, 0);


--
-- Data for Name: snapshots; Type: TABLE DATA; Schema: public; Owner: ttt
--



--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: ttt
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (room, seq);


--
-- Name: lessons lessons_pkey; Type: CONSTRAINT; Schema: public; Owner: ttt
--

ALTER TABLE ONLY public.lessons
    ADD CONSTRAINT lessons_pkey PRIMARY KEY (id);


--
-- Name: meta meta_pkey; Type: CONSTRAINT; Schema: public; Owner: ttt
--

ALTER TABLE ONLY public.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (key);


--
-- Name: rooms rooms_pkey; Type: CONSTRAINT; Schema: public; Owner: ttt
--

ALTER TABLE ONLY public.rooms
    ADD CONSTRAINT rooms_pkey PRIMARY KEY (name);


--
-- Name: servers servers_pkey; Type: CONSTRAINT; Schema: public; Owner: ttt
--

ALTER TABLE ONLY public.servers
    ADD CONSTRAINT servers_pkey PRIMARY KEY (id);


--
-- Name: snapshots snapshots_pkey; Type: CONSTRAINT; Schema: public; Owner: ttt
--

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (room, seq);


--
-- Name: events_taught; Type: INDEX; Schema: public; Owner: ttt
--

CREATE INDEX events_taught ON public.events USING btree (taught_at) WHERE (taught_at IS NOT NULL);


--
-- Name: rooms_changed; Type: INDEX; Schema: public; Owner: ttt
--

CREATE INDEX rooms_changed ON public.rooms USING btree (changed_at);


--
-- Name: rooms_owner; Type: INDEX; Schema: public; Owner: ttt
--

CREATE INDEX rooms_owner ON public.rooms USING btree (owner);


--
-- PostgreSQL database dump complete
--



