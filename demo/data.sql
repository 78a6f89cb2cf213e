-- Fills the tables of schema.sql. Every value comes from arithmetic and from a hash of its own key,
-- so each load gives the same rows: no random(), no now(), no dependence on time zone or row order.

BEGIN;
SET LOCAL client_min_messages = warning;
SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, DMY';
SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL work_mem = '64MB';
-- Checking foreign keys row by row would take most of the time; they are checked at the end, all at once.
SET LOCAL session_replication_role = 'replica';

-- Lists and intermediate results live here and are dropped at the end.
CREATE SCHEMA build;
SET LOCAL search_path = public, build;

-- A number in [0, 1) that depends on key and salt alone; only exact operations, so equal everywhere.
CREATE FUNCTION build.u(key bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT ((hashint8extended(key, salt) >> 11) & 9007199254740991)::float8 / 9007199254740992.0::float8 $$;
CREATE FUNCTION build.pick(list text[], share float8) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT list[1 + floor(share * cardinality(list))::int] $$;
-- Plain letters for e-mail addresses, whatever the locale's idea of lower case is.
CREATE FUNCTION build.plain(word text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT lower(translate(replace(replace(replace(replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'Ö', 'oe'), 'ü', 'ue'), 'ß', 'ss'), 'ø', 'oe'),
   'áàâãåąčćçďéèêěëęíìîïłňńñóòôřśšťúùûůýżźžÁČĆÇÉÈÎÍÅŁŚŠŽŻŹ ''’', 'aaaaaacccdeeeeeeiiiilnnnooorsstuuuuyzzzaccceeiialsszzz')) $$;

INSERT INTO countries VALUES
    ('AT', 'Austria', 'Österreich', 'DACH', 'EUR', 20, true, '{de}'), ('DE', 'Germany', 'Deutschland', 'DACH', 'EUR', 19, true, '{de}'),
    ('CH', 'Switzerland', 'Schweiz', 'DACH', 'CHF', 8.1, false, '{de,fr,it,rm}'), ('FR', 'France', 'France', 'Southern Europe', 'EUR', 20, true, '{fr}'),
    ('IT', 'Italy', 'Italia', 'Southern Europe', 'EUR', 22, true, '{it,de}'), ('ES', 'Spain', 'España', 'Southern Europe', 'EUR', 21, true, '{es,ca,eu,gl}'),
    ('PT', 'Portugal', 'Portugal', 'Southern Europe', 'EUR', NULL, true, '{pt}'), ('NL', 'Netherlands', 'Nederland', 'Benelux', 'EUR', 21, true, '{nl}'),
    ('BE', 'Belgium', 'België / Belgique', 'Benelux', 'EUR', 21, true, '{nl,fr,de}'), ('PL', 'Poland', 'Polska', 'Central Europe', 'PLN', 23, true, '{pl}'),
    ('CZ', 'Czechia', 'Česko', 'Central Europe', 'CZK', 21, true, '{cs}'), ('SI', 'Slovenia', 'Slovenija', 'Central Europe', 'EUR', 22, true, '{sl}'),
    ('DK', 'Denmark', 'Danmark', 'Nordics', 'DKK', 25, true, '{da}'), ('SE', 'Sweden', 'Sverige', 'Nordics', 'SEK', 25, true, '{sv}'),
    ('NO', 'Norway', 'Norge', 'Nordics', 'NOK', 25, false, '{no}'), ('VN', 'Vietnam', 'Việt Nam', 'Asia', 'VND', NULL, false, '{vi}'),
    ('TW', 'Taiwan', '臺灣', 'Asia', 'TWD', NULL, false, '{zh}');

-- Where customers live: running total of shares, language, how names and streets look.
CREATE TABLE build.home AS
SELECT *, sum(share) OVER (ORDER BY share DESC, code) - share AS low
FROM (VALUES ('DE', 0.302, 'de', '+49'), ('AT', 0.216, 'de', '+43'), ('CH', 0.097, 'de', '+41'), ('PL', 0.081, 'pl', '+48'),
             ('FR', 0.078, 'fr', '+33'), ('IT', 0.064, 'it', '+39'), ('CZ', 0.047, 'cs', '+420'), ('NL', 0.043, 'nl', '+31'),
             ('BE', 0.022, 'fr', '+32'), ('SE', 0.016, 'sv', '+46'), ('SI', 0.013, 'sl', '+386'), ('DK', 0.010, 'sv', '+45'),
             ('ES', 0.007, 'es', '+34'), ('NO', 0.004, 'sv', '+47')) AS v (code, share, lang, dial);
CREATE TABLE build.words (lang text PRIMARY KEY, first text[], last text[], streets text[]);
INSERT INTO build.words VALUES
    ('de', '{Anna,Lukas,Julia,Maximilian,Katharina,Jürgen,Sabine,Felix,Ursula,Björn,Lena,Matthias,Theresa,Günther,Johanna,Florian,Franziska,Jörg,Marlene,Andreas,Käthe,Tobias,Veronika,Stefan,Hannah,Markus}',
           '{Huber,Müller,Gruber,Schmidt,Steiner,Wagner,Bauer,Schneider,Moser,Fischer,Köhler,Pichler,Weber,Hofer,Schäfer,Mayr,Krüger,Egger,Zimmermann,Leitner,Böhm,Koch,Wolf,Schröder,Fuchs,Brunner,Keller,Neumann,Haas,Größl,Lang,Vogel,Kaiser,Baumgartner}', '{Bahnhofstraße,Hauptstraße,Bergstraße,Lindenweg,Am Anger,Mühlgasse,Schillerstraße,Gartenweg,Kirchplatz,Ringstraße}'),
    ('fr', '{Camille,Louis,Chloé,Hugo,Élodie,Mathieu,Amélie,Théo,Juliette,François,Léa,Antoine,Margaux,Benoît,Inès,Nicolas,Hélène,Rémi}',
           '{Martin,Bernard,Dubois,Lefèvre,Moreau,Girard,Rousseau,Fournier,Mercier,Bonnet,François,Garnier,Chevalier,Guérin,Perrin,Barbier,Roux,Vidal,Lemaître,Benoît}', '{Rue de la Gare,Avenue Victor Hugo,Rue des Écoles,Chemin du Moulin,Place de l’Église,Rue du Lac}'),
    ('it', '{Giulia,Marco,Chiara,Luca,Francesca,Matteo,Elena,Andrea,Martina,Davide,Sofia,Niccolò,Alessia,Stefano,Sara,Paolo}',
           '{Rossi,Ferrari,Bianchi,Romano,Ricci,Conti,Costa,Galli,Fontana,Moretti,Lombardi,Barbieri,Rinaldi,Caruso,Ferrara,D’Angelo,Marchetti,Pellegrini}', '{Via Roma,Via Garibaldi,Corso Italia,Via Dante,Piazza Duomo,Via dei Mulini}'),
    ('pl', '{Anna,Piotr,Katarzyna,Tomasz,Małgorzata,Paweł,Agnieszka,Michał,Joanna,Krzysztof,Magdalena,Łukasz,Zofia,Jakub,Żaneta,Wojciech,Ewa,Grzegorz}',
           '{Nowak,Kowalczyk,Wiśniewski,Wójcik,Kamińska,Lewandowski,Zieliński,Szymańska,Woźniak,Dąbrowski,Kozłowska,Mazur,Krawczyk,Pawłowski,Grabowska,Zając,Król,Wróbel,Jabłońska,Górski}', '{ul. Krakowska,ul. Długa,ul. Mickiewicza,ul. Słowackiego,ul. Leśna,al. Jana Pawła II,ul. Źródlana}'),
    ('nl', '{Daan,Sanne,Bram,Lotte,Thijs,Femke,Jeroen,Anouk,Sander,Maaike,Ruben,Iris,Joost,Marieke}',
           '{de Jong,Jansen,de Vries,van den Berg,Bakker,van Dijk,Visser,Smit,Meijer,Mulder,Bos,Vos,Peters,Hendriks,van Leeuwen,Dekker}', '{Dorpsstraat,Kerkstraat,Molenweg,Prinsengracht,Stationsweg,Julianalaan}'),
    ('cs', '{Jan,Tereza,Petr,Lucie,Tomáš,Kateřina,Jiří,Eliška,Martin,Barbora,Ondřej,Markéta,Jakub,Zdeněk,Adéla,Václav}',
           '{Novák,Svoboda,Dvořák,Černý,Procházka,Kučera,Veselý,Horák,Němec,Pokorný,Marek,Pospíšil,Hájek,Král,Růžička,Beneš,Fiala,Sedláček}', '{Nádražní,Husova,Masarykova,Lipová,Zahradní,Školní}'),
    ('sv', '{Erik,Astrid,Lars,Ingrid,Nils,Freja,Søren,Maja,Håkan,Karin,Mikkel,Linnéa,Anders,Signe,Jens,Åsa}',
           '{Andersson,Johansson,Nielsen,Hansen,Larsen,Lindström,Berg,Sørensen,Dahl,Nyström,Holm,Åkesson,Lund,Eriksson}', '{Storgatan,Skolgatan,Bjørnvej,Kirkevej,Ringvägen,Strandvejen}'),
    ('sl', '{Luka,Ana,Marko,Nina,Žiga,Maja,Jure,Špela,Matej,Katja,Rok,Urška}',
           '{Novak,Horvat,Kovačič,Krajnc,Zupančič,Potočnik,Mlakar,Kos,Vidmar,Golob,Turk,Božič}', '{Prešernova cesta,Slovenska cesta,Gorska ulica,Šolska ulica}'),
    ('es', '{Lucía,Pablo,Marta,Álvaro,Carmen,Íñigo,Laura,Sergio,Nuria,Javier,Begoña,Diego}',
           '{García,Fernández,González,Rodríguez,López,Martínez,Sánchez,Pérez,Gómez,Ibáñez,Muñoz,Núñez}', '{Calle Mayor,Calle Real,Avenida de la Constitución,Calle del Sol}');

CREATE TABLE build.city AS
SELECT *, row_number() OVER (PARTITION BY code ORDER BY share DESC, city COLLATE "C") AS n,
       (sum(share) OVER (PARTITION BY code ORDER BY share DESC, city COLLATE "C") - share) / sum(share) OVER (PARTITION BY code) AS low
FROM (VALUES
    ('DE', 'München', 26.0, '80###'), ('DE', 'Berlin', 14, '10###'), ('DE', 'Stuttgart', 10, '70###'), ('DE', 'Freiburg', 9, '79###'),
    ('DE', 'Nürnberg', 7, '90###'), ('DE', 'Hamburg', 7, '20###'), ('DE', 'Köln', 6, '50###'), ('DE', 'Dresden', 6, '01###'), ('DE', 'Augsburg', 5, '86###'),
    ('DE', 'Garmisch-Partenkirchen', 4, '824##'), ('DE', 'Leipzig', 4, '04###'), ('DE', 'Rosenheim', 3, '830##'), ('DE', 'Frankfurt am Main', 5, '60###'),
    ('AT', 'Innsbruck', 27, '60##'), ('AT', 'Wien', 26, '1##0'), ('AT', 'Salzburg', 15, '50##'), ('AT', 'Graz', 13, '80##'), ('AT', 'Linz', 8, '40##'),
    ('AT', 'Klagenfurt', 5, '90##'), ('AT', 'Dornbirn', 4, '68##'), ('AT', 'Kitzbühel', 3, '63##'),
    ('CH', 'Zürich', 30, '80##'), ('CH', 'Bern', 18, '30##'), ('CH', 'Luzern', 12, '60##'), ('CH', 'Genève', 11, '12##'), ('CH', 'Chur', 10, '70##'), ('CH', 'Lausanne', 8, '10##'),
    ('PL', 'Kraków', 31, '30-###'), ('PL', 'Warszawa', 24, '00-###'), ('PL', 'Zakopane', 11, '34-5##'), ('PL', 'Wrocław', 13, '50-###'), ('PL', 'Gdańsk', 8, '80-###'), ('PL', 'Łódź', 6, '90-###'),
    ('FR', 'Grenoble', 26, '38###'), ('FR', 'Lyon', 20, '69###'), ('FR', 'Paris', 19, '750##'), ('FR', 'Annecy', 14, '74###'), ('FR', 'Strasbourg', 9, '67###'), ('FR', 'Besançon', 5, '25###'),
    ('IT', 'Bolzano', 29, '391##'), ('IT', 'Milano', 21, '201##'), ('IT', 'Torino', 14, '101##'), ('IT', 'Trento', 14, '381##'), ('IT', 'Verona', 9, '371##'), ('IT', 'Aosta', 5, '111##'),
    ('CZ', 'Praha', 42, '1## 00'), ('CZ', 'Brno', 25, '6## 00'), ('CZ', 'Liberec', 12, '46# 01'), ('CZ', 'Plzeň', 9, '3## 00'), ('CZ', 'České Budějovice', 6, '37# 01'),
    ('NL', 'Utrecht', 27, '35## KB'), ('NL', 'Amsterdam', 31, '10## DW'), ('NL', 'Rotterdam', 16, '30## AE'), ('NL', 'Eindhoven', 10, '56## GL'),
    ('BE', 'Bruxelles', 30, '10##'), ('BE', 'Liège', 26, '40##'), ('BE', 'Namur', 14, '50##'), ('BE', 'Antwerpen', 20, '20##'),
    ('SE', 'Stockholm', 40, '1## ##'), ('SE', 'Göteborg', 30, '4## ##'), ('SE', 'Östersund', 14, '83# ##'), ('SI', 'Ljubljana', 52, '10##'), ('SI', 'Kranj', 22, '40##'), ('SI', 'Maribor', 20, '20##'),
    ('DK', 'København', 55, '2##0'), ('DK', 'Århus', 25, '80##'), ('DK', 'Odense', 14, '50##'), ('ES', 'Barcelona', 45, '08###'), ('ES', 'Madrid', 30, '28###'), ('ES', 'Huesca', 12, '22###'),
    ('NO', 'Oslo', 50, '0###'), ('NO', 'Tromsø', 24, '90##'), ('NO', 'Bergen', 22, '50##')) AS v (code, city, share, postal);

-- Every day with its share of the business: season, day of the week, sales weeks, weather.
CREATE TABLE build.day AS
SELECT day, sum(weight) OVER (ORDER BY day) AS up_to
FROM (SELECT d::date AS day,
             ('{1,1.06,1.02,1.12}'::float8[])[extract(year FROM d)::int - 2021]
             * ('{0.86,0.78,0.91,0.98,1.12,1.16,1.19,1.04,0.94,0.92,1.22,1.50}'::float8[])[extract(month FROM d)::int]
             * ('{0.90,0.84,0.87,0.96,1.12,1.38,0.72}'::float8[])[extract(isodow FROM d)::int]
             * CASE WHEN to_char(d, 'MMDD') BETWEEN '1224' AND '1226' THEN 0.3
                    WHEN to_char(d, 'MMDD') = '0101' THEN 0.25
                    WHEN to_char(d, 'MMDD') BETWEEN '1122' AND '1130' THEN 1.6
                    WHEN to_char(d, 'MMDD') BETWEEN '0707' AND '0720' THEN 1.25 ELSE 1 END
             * (0.85 + 0.3 * u((d::date - DATE '2000-01-01'), 1)) AS weight
      FROM generate_series(timestamp '2022-01-01', '2025-12-31', '1 day') AS d) AS days;
CREATE UNIQUE INDEX ON build.day (up_to);
CREATE UNIQUE INDEX ON build.day (day) INCLUDE (up_to);
ANALYZE build.day;

INSERT INTO hr.departments VALUES
    (1, 'Management', '1000'), (2, 'Stores', '2000'), (3, 'Web Shop', '3000'), (4, 'Purchasing', '4000'),
    (5, 'Logistics', '5000'), (6, 'Marketing', '6000'), (7, 'Finance', '7000'), (8, 'Customer Service', '8000');

INSERT INTO stores SELECT store_id, name, city, code, ROW(lat, lon)::geo_point, opened::date, closed::date, sqm, workshop,
    jsonb_build_object('mon', weekday, 'tue', weekday, 'wed', weekday, 'thu', CASE WHEN sqm > 900 THEN '09:00-20:00' ELSE weekday END, 'fri', weekday, 'sat', '09:00-17:00')
    || CASE WHEN sunday THEN '{"sun": "10:00-16:00"}'::jsonb ELSE '{}' END
FROM (VALUES
    (1, 'Innsbruck Altstadt', 'Innsbruck', 'AT', 47.26840, 11.39330, '1998-04-03', NULL, 1250, true, '09:00-18:30', false), (2, 'Wien Mariahilf', 'Wien', 'AT', 48.19850, 16.35120, '2004-09-16', NULL, 1640, true, '09:30-19:00', false),
    (3, 'Salzburg Europark', 'Salzburg', 'AT', 47.81450, 13.00760, '2009-03-26', NULL, 820, false, '09:00-19:00', false), (4, 'Graz Hauptplatz', 'Graz', 'AT', 47.07080, 15.43820, '2014-05-08', NULL, 610, false, '09:00-18:30', false),
    (5, 'Kitzbühel Hahnenkamm', 'Kitzbühel', 'AT', 47.44640, 12.39180, '2016-11-24', NULL, 280, true, '08:30-18:00', true), (6, 'München Sendlinger Tor', 'München', 'DE', 48.13390, 11.56790, '2007-10-11', NULL, 1920, true, '09:30-20:00', false),
    (7, 'Berlin Prenzlauer Berg', 'Berlin', 'DE', 52.53880, 13.42440, '2012-04-19', NULL, 1080, false, '10:00-20:00', false), (8, 'Freiburg Münsterplatz', 'Freiburg', 'DE', 47.99550, 7.85240, '2015-09-03', NULL, 540, false, '09:30-19:00', false),
    (9, 'Stuttgart Königstraße', 'Stuttgart', 'DE', 48.77840, 9.18060, '2017-03-30', NULL, 760, true, '09:30-19:30', false), (10, 'Dresden Neustadt', 'Dresden', 'DE', 51.06340, 13.74690, '2019-06-06', '2024-08-31', 430, false, '10:00-19:00', false),
    (11, 'Hamburg Altona', 'Hamburg', 'DE', 53.55190, 9.93530, '2023-03-23', NULL, 690, false, '10:00-19:30', false), (12, 'Zürich Niederdorf', 'Zürich', 'CH', 47.37200, 8.54370, '2011-09-15', NULL, 980, true, '09:00-19:00', false),
    (13, 'Bern Kramgasse', 'Bern', 'CH', 46.94790, 7.44980, '2018-10-04', NULL, 390, false, '09:00-18:30', false), (14, 'Bolzano Portici', 'Bolzano', 'IT', 46.49930, 11.35450, '2016-04-14', NULL, 520, true, '09:00-19:00', false),
    (15, 'Grenoble Vieille Ville', 'Grenoble', 'FR', 45.19270, 5.72980, '2020-02-13', NULL, 470, false, '10:00-19:00', false), (16, 'Kraków Rynek', 'Kraków', 'PL', 50.06170, 19.93730, '2019-09-12', NULL, 640, false, '09:00-20:00', false),
    (17, 'Zakopane Krupówki', 'Zakopane', 'PL', 49.29560, 19.95130, '2023-11-16', NULL, 260, true, '09:00-19:00', true), (18, 'Praha Karlín', 'Praha', 'CZ', 50.09260, 14.45110, '2022-05-05', NULL, 580, false, '09:30-19:30', false),
    (19, 'Utrecht Oudegracht', 'Utrecht', 'NL', 52.08950, 5.12150, '2024-04-11', NULL, 350, false, '10:00-18:30', false), (20, 'Ljubljana Center', 'Ljubljana', 'SI', 46.05110, 14.50600, '2025-09-18', NULL, 310, false, '09:00-19:00', false)
    ) AS v (store_id, name, city, code, lat, lon, opened, closed, sqm, workshop, weekday, sunday);

-- Staff: the board, headquarters, then every store with its manager first.
CREATE TABLE build.staff AS
SELECT row_number() OVER (ORDER BY block, seat) AS id, * FROM (
    SELECT 0 AS block, n AS seat, title, dept, NULL::int AS store, CASE WHEN n > 1 THEN 1 END AS boss, 'AT' AS code, DATE '2008-02-01' + n * 211 AS earliest
    FROM (VALUES (1, 'Managing Director', 1), (2, 'Head of Stores', 2), (3, 'Head of Web Shop', 3), (4, 'Head of Purchasing', 4),
                 (5, 'Head of Logistics', 5), (6, 'Head of Marketing', 6), (7, 'Head of Finance', 7), (8, 'Head of Customer Service', 8)) AS heads (n, title, dept)
    UNION ALL
    SELECT 1, dept * 100 + n, title, dept, NULL, dept, 'AT', DATE '2013-01-01'
    FROM (VALUES (3, 'Web Developer', 5), (3, 'Product Photographer', 2), (4, 'Buyer', 6), (5, 'Warehouse Clerk', 14), (5, 'Dispatcher', 3),
                 (6, 'Campaign Manager', 3), (7, 'Accountant', 5), (7, 'Data Analyst', 2), (8, 'Support Agent', 9)) AS teams (dept, title, size), generate_series(1, size) AS n
    UNION ALL
    SELECT 1 + store_id, n, CASE WHEN n = 1 THEN 'Store Manager' WHEN has_workshop AND n = 2 THEN 'Workshop Technician' WHEN u(store_id * 100 + n, 2) < 0.12 THEN 'Apprentice' ELSE 'Sales Assistant' END,
           2, store_id, CASE WHEN n = 1 THEN 2 ELSE -1 END, country_code, opened_on
    FROM stores, generate_series(1, 4 + floor_area_sqm / 110) AS n) AS seats;
INSERT INTO employees (employee_id, first_name, last_name, email, job_title, department_id, store_id, manager_id, hired_on, left_on, weekly_hours)
SELECT id, first, last, plain(first) || '.' || plain(last) || CASE WHEN twin > 1 THEN twin::text ELSE '' END || '@gratwind.example',
       title, dept, store, CASE WHEN boss = -1 THEN first_value(id) OVER (PARTITION BY block ORDER BY seat) ELSE boss END,
       hired, CASE WHEN left_on < coalesce(closed_on, DATE '2025-12-20') AND left_on > hired + 60 THEN left_on ELSE closed_on END,
       CASE WHEN boss IS NULL OR boss = 1 OR seat = 1 OR title = 'Apprentice' THEN 38.5 ELSE pick('{38.5,38.5,38.5,30,25,20}', u(id, 8))::numeric END
FROM (SELECT *, row_number() OVER (PARTITION BY plain(first), plain(last) ORDER BY id) AS twin,
             CASE WHEN boss > 1 AND seat % 100 <> 1 OR boss = -1 AND seat <> 2 THEN CASE WHEN u(id, 6) < 0.24 THEN DATE '2022-02-01' + floor(u(id, 7) * 1400)::int END END AS left_on
      FROM (SELECT s.*, pick(w.first, u(id, 3)) AS first, pick(w.last, u(id, 4)) AS last, st.closed_on,
                   CASE WHEN s.boss = -1 OR s.boss > 1 AND s.block = 1 THEN greatest(earliest, DATE '2013-02-01') + floor(u(id, 5)
                        * greatest(least(DATE '2025-11-01', coalesce(st.closed_on - 300, DATE '2025-11-01')) - greatest(earliest, DATE '2013-02-01'), 1))::int
                        ELSE earliest - 20 END AS hired
            FROM build.staff s JOIN build.home h USING (code) JOIN build.words w USING (lang) LEFT JOIN stores st ON st.store_id = s.store) AS named) AS dated
ORDER BY id;

INSERT INTO hr.employee_salaries
SELECT employee_id, valid_from, (round((base * place * (1 + 0.031 * (extract(year FROM valid_from)::int - 2022)) * (0.94 + 0.16 * u(employee_id, 9)) * weekly_hours / 38.5)::numeric / 100) * 100)::numeric(10,2),
       CASE WHEN job_title = 'Managing Director' THEN 25 WHEN job_title LIKE 'Head%' THEN 12 WHEN job_title = 'Store Manager' THEN 8 WHEN u(employee_id, 10) < 0.3 THEN 3.5 END
FROM employees LEFT JOIN stores USING (store_id)
JOIN (VALUES ('Managing Director', 168000.0), ('Store Manager', 52000), ('Workshop Technician', 37500), ('Apprentice', 15600), ('Sales Assistant', 30500), ('Web Developer', 56000),
             ('Product Photographer', 40500), ('Buyer', 47000), ('Warehouse Clerk', 31000), ('Dispatcher', 36000), ('Campaign Manager', 45500), ('Accountant', 44500),
             ('Data Analyst', 51500), ('Support Agent', 32000), ('Head', 92000)) AS pay (title, base) ON pay.title = CASE WHEN job_title LIKE 'Head%' THEN 'Head' ELSE job_title END
JOIN (VALUES ('AT', 1.0), ('DE', 1.04), ('CH', 1.62), ('IT', 0.86), ('FR', 0.93), ('PL', 0.55), ('CZ', 0.6), ('NL', 1.03), ('SI', 0.68)) AS level (code, place) ON code = coalesce(country_code, 'AT')
CROSS JOIN LATERAL (SELECT greatest(hired_on, make_date(y, 1, 1)) AS valid_from FROM generate_series(2022, 2025) AS y
                    WHERE make_date(y, 12, 31) >= hired_on AND make_date(y, 1, 1) <= coalesce(left_on, 'infinity')) AS steps;

INSERT INTO categories VALUES
    (1, NULL, 'Footwear', 'Schuhe'), (2, NULL, 'Clothing', 'Bekleidung'), (3, NULL, 'Camping', 'Camping'), (4, NULL, 'Backpacks and Bags', 'Rucksäcke und Taschen'),
    (5, NULL, 'Climbing', 'Klettern'), (6, NULL, 'Winter Sports', 'Wintersport'), (7, NULL, 'Accessories', 'Zubehör'), (8, 2, 'Jackets', 'Jacken'), (9, 3, 'Cooking', 'Kochen');
-- Leaf categories: price range, weight in grams, number of products, popularity, season, share of items that come back.
CREATE TABLE build.leaf (id int, parent int, name text, name_de text, noun text, low float8, high float8, grams int, size int, appeal float8, season text, comes_back float8, fact text);
INSERT INTO build.leaf VALUES
    (10, 1, 'Hiking Boots', 'Wanderschuhe', 'Hiking Boot', 120, 290, 1250, 30, 1.5, 'summer', 0.155, 'waterproof'), (11, 1, 'Trail Running Shoes', 'Trailrunningschuhe', 'Trail Shoe', 95, 190, 620, 24, 1.2, 'summer', 0.135, 'waterproof'),
    (12, 1, 'Approach Shoes', 'Zustiegsschuhe', 'Approach Shoe', 110, 185, 840, 12, 0.5, 'summer', 0.140, 'waterproof'), (13, 1, 'Sandals', 'Sandalen', 'Sandal', 45, 120, 540, 9, 0.6, 'summer', 0.085, NULL),
    (14, 1, 'Winter Boots', 'Winterstiefel', 'Winter Boot', 110, 240, 1500, 11, 0.7, 'winter', 0.130, 'waterproof'), (20, 8, 'Rain Jackets', 'Regenjacken', 'Rain Jacket', 90, 380, 410, 26, 1.2, 'all', 0.105, 'waterproof'),
    (21, 8, 'Down Jackets', 'Daunenjacken', 'Down Jacket', 150, 420, 430, 18, 0.9, 'winter', 0.095, 'fill_power'), (22, 2, 'Fleece', 'Fleece', 'Fleece Jacket', 50, 150, 380, 17, 1.0, 'winter', 0.070, NULL),
    (23, 2, 'Trousers', 'Hosen', 'Trousers', 70, 190, 390, 23, 1.1, 'all', 0.120, NULL), (24, 2, 'Base Layers', 'Funktionswäsche', 'Base Layer', 30, 95, 190, 19, 1.1, 'winter', 0.040, 'merino'),
    (25, 2, 'Socks', 'Socken', 'Sock', 12, 30, 70, 21, 2.1, 'all', 0.012, 'merino'), (30, 3, 'Tents', 'Zelte', 'Tent', 160, 790, 2600, 19, 0.5, 'summer', 0.048, 'persons'),
    (31, 3, 'Sleeping Bags', 'Schlafsäcke', 'Sleeping Bag', 90, 460, 1050, 16, 0.6, 'summer', 0.052, 'comfort_c'), (32, 3, 'Sleeping Mats', 'Isomatten', 'Sleeping Mat', 35, 210, 560, 13, 0.7, 'summer', 0.038, NULL),
    (33, 9, 'Stoves', 'Kocher', 'Stove', 40, 190, 320, 9, 0.4, 'summer', 0.022, NULL), (34, 9, 'Cookware', 'Geschirr', 'Pot Set', 20, 90, 450, 11, 0.5, 'summer', 0.014, NULL),
    (40, 4, 'Daypacks', 'Tagesrucksäcke', 'Daypack', 60, 150, 780, 18, 1.1, 'all', 0.045, 'capacity_l'), (41, 4, 'Trekking Backpacks', 'Trekkingrucksäcke', 'Trekking Pack', 140, 320, 1850, 14, 0.6, 'summer', 0.068, 'capacity_l'),
    (42, 4, 'Travel Bags', 'Reisetaschen', 'Duffel', 70, 190, 1300, 8, 0.4, 'all', 0.030, 'capacity_l'), (50, 5, 'Harnesses', 'Klettergurte', 'Harness', 50, 130, 360, 10, 0.4, 'all', 0.055, NULL),
    (51, 5, 'Ropes', 'Seile', 'Rope', 110, 260, 3700, 9, 0.3, 'all', 0.008, 'length_m'), (52, 5, 'Helmets', 'Helme', 'Helmet', 55, 130, 250, 8, 0.4, 'all', 0.060, NULL),
    (53, 5, 'Carabiners', 'Karabiner', 'Carabiner Set', 10, 95, 90, 12, 0.8, 'all', 0.006, NULL), (60, 6, 'Touring Skis', 'Tourenski', 'Touring Ski', 390, 890, 2700, 11, 0.3, 'winter', 0.032, 'length_cm'),
    (61, 6, 'Snowshoes', 'Schneeschuhe', 'Snowshoe', 110, 280, 1900, 7, 0.4, 'winter', 0.027, NULL), (62, 6, 'Avalanche Safety', 'Lawinenausrüstung', 'Avalanche Kit', 60, 390, 620, 8, 0.4, 'winter', 0.018, NULL),
    (70, 7, 'Headlamps', 'Stirnlampen', 'Headlamp', 25, 130, 95, 12, 0.9, 'winter', 0.035, 'lumens'), (71, 7, 'Trekking Poles', 'Trekkingstöcke', 'Trekking Pole', 45, 180, 480, 13, 0.8, 'summer', 0.028, NULL),
    (72, 7, 'Water Bottles', 'Trinkflaschen', 'Bottle', 12, 45, 260, 15, 1.7, 'summer', 0.008, 'capacity_l'), (73, 7, 'Gloves', 'Handschuhe', 'Glove', 25, 120, 140, 14, 0.8, 'winter', 0.075, 'waterproof'),
    (74, 7, 'Maps and Guidebooks', 'Karten und Führer', 'Map', 9, 35, NULL, 16, 0.9, 'summer', 0.004, NULL);
INSERT INTO categories SELECT id, parent, name, name_de FROM build.leaf;

INSERT INTO suppliers VALUES
    (1, 'Alpenwerk GmbH', 'AT', 'vertrieb@alpenwerk.example', 12, 9.1), (2, 'Bergfalk Schuhe GmbH', 'DE', 'order@bergfalk.example', 18, 8.7),
    (3, 'Calzature Monte Corno', 'IT', 'ordini@montecorno.example', 21, 8.2), (4, 'Fjordhus A/S', 'NO', 'sales@fjordhus.example', 25, 8.9),
    (5, 'Skarv Sverige AB', 'SE', 'b2b@skarv.example', 23, 7.8), (6, 'Sentier Équipement SARL', 'FR', 'commandes@sentier.example', 16, 7.4),
    (7, 'Wędrowiec Sp. z o.o.', 'PL', 'biuro@wedrowiec.example', 14, 8.0), (8, 'Szycie Beskid Sp. z o.o.', 'PL', 'zamowienia@szyciebeskid.example', 19, 6.9),
    (9, 'Lano Horolezecké s.r.o.', 'CZ', 'obchod@lano.example', 17, 9.3), (10, 'Têxteis do Norte Lda.', 'PT', 'vendas@texteisnorte.example', 34, 7.9),
    (11, 'Calçado Serra Lda.', 'PT', 'geral@calcadoserra.example', 36, 7.1), (12, 'Saigon Outdoor Works', 'VN', 'export@saigonoutdoor.example', 74, 6.6),
    (13, 'Đà Nẵng Garments', 'VN', 'sales@danang-garments.example', 81, 6.2), (14, 'Taichung Alloy Co.', 'TW', 'oem@taichung-alloy.example', 62, 8.4),
    (15, 'Kartografie Hofer', 'AT', 'verlag@kartohofer.example', 6, 9.6), (16, 'Édition des Cimes', 'FR', 'libraires@cimes.example', 9, 8.8),
    (17, 'Daune & Feder AG', 'CH', 'info@dauneundfeder.example', 28, 9.0), (18, 'Skibau Tirol GmbH', 'AT', 'handel@skibau.example', 41, 8.6),
    (19, 'Lumen Optik GmbH', 'DE', 'verkauf@lumenoptik.example', 11, 8.3), (20, 'Roccia Verticale Srl', 'IT', 'vendite@roccia.example', 20, 7.6),
    (21, 'Maglificio Adige', 'IT', NULL, 27, 7.0), (22, 'Sokken Noord BV', 'NL', 'verkoop@sokkennoord.example', 10, 8.5),
    (23, 'Kuchyně Venku s.r.o.', 'CZ', 'info@kuchynevenku.example', 22, NULL), (24, 'Tarn Gear Benelux', 'BE', NULL, 15, 5.8);
UPDATE suppliers SET flg_act = 'N' WHERE supplier_id IN (13, 24);

CREATE TABLE build.item AS
SELECT row_number() OVER (ORDER BY id, k) AS product_id, *, u(id * 1000 + k, 20) AS v, u(id * 1000 + k, 21) AS luck,
       ('{Gratwind,Bergfalk,Fjordhus,Sentier,Wędrowiec,Roccia,Skarv,Tarn,Alpenwerk}'::text[])[1 + (CASE WHEN k % 3 = 1 THEN 0 ELSE (k * 7 + id) % 9 END)] AS brand,
       ('{Karwendel,Tatra,Dovre,Ortler,Vanoise,Sarek,Bernina,Triglav,Silvretta,Rondane,Jura,Écrins,Śnieżka,Lofoten,Gavia,Pirin,Rila,Zugspitze,Belledonne,Dachstein,Monviso,Krkonoše,Eiger,Säntis,Aneto,Kebnekaise,Giewont,Watzmann,Latemar,Rysy,Brenta,Piz Palü,Grimsel,Hochkönig,Glittertind,Vercors,Rodica}'::text[])[1 + (k * 5 + id * 3) % 37] AS model,
       ('{"","","",Pro,Light,Mid,II,Plus}'::text[])[1 + floor(u(id * 1000 + k, 22) * 8)::int] AS extra
FROM build.leaf, generate_series(1, size) AS k;
INSERT INTO products (product_id, sku, name, category_id, brand, "unitPrice", weight_g, colours, attributes, launched_on, discontinued_on)
SELECT product_id, upper(left(plain(brand), 2)) || '-' || id || lpad(k::text, 3, '0'), concat_ws(' ', brand, model, nullif(extra, ''), noun), id, brand,
       round((low + (high - low) * v * (0.35 + 0.65 * v))::numeric) - (0.05::numeric + CASE WHEN u(product_id, 23) < 0.3 THEN 0.05 ELSE 0 END),
       round((grams * (0.75 + 0.5 * u(product_id, 24)))::numeric, -1),
       CASE WHEN id IN (33, 34, 74) THEN '{}' ELSE (SELECT array_agg(colour ORDER BY u(product_id, 30 + ord)) FROM unnest('{black,grey,blue,green,red,orange,yellow,purple}'::text[]) WITH ORDINALITY AS c (colour, ord)
            WHERE u(product_id, 30 + ord) < ('{0.75,0.5,0.45,0.4,0.3,0.2,0.12,0.1}'::float8[])[ord] OR ord = 1 + product_id % 4) END,
       CASE fact WHEN 'waterproof' THEN jsonb_build_object('waterproof', u(product_id, 25) < 0.6)
                 WHEN 'merino' THEN jsonb_build_object('merino', u(product_id, 25) < 0.45)
                 WHEN 'fill_power' THEN jsonb_build_object('fill_power', 550 + 50 * floor(u(product_id, 25) * 7)::int)
                 WHEN 'persons' THEN jsonb_build_object('persons', pick('{1,2,2,2,3,3,4,5}', v)::int, 'seasons', CASE WHEN u(product_id, 25) < 0.25 THEN 4 ELSE 3 END)
                 WHEN 'comfort_c' THEN jsonb_build_object('comfort_c', 12 - floor(v * 24)::int, 'filling', CASE WHEN v > 0.45 THEN 'down' ELSE 'synthetic' END)
                 WHEN 'capacity_l' THEN CASE id WHEN 72 THEN jsonb_build_object('capacity_l', pick('{0.5,0.6,0.75,1.0,1.5}', u(product_id, 25))::numeric)
                                                WHEN 40 THEN jsonb_build_object('capacity_l', 14 + 2 * floor(u(product_id, 25) * 9)::int)
                                                ELSE jsonb_build_object('capacity_l', 40 + 5 * floor(u(product_id, 25) * 8)::int) END
                 WHEN 'length_m' THEN jsonb_build_object('length_m', pick('{40,50,60,60,70,80}', v)::int)
                 WHEN 'length_cm' THEN jsonb_build_object('length_cm', 158 + 6 * floor(u(product_id, 25) * 5)::int)
                 WHEN 'lumens' THEN jsonb_build_object('lumens', 150 + 50 * floor(v * 20)::int) ELSE '{}' END,
       launched, CASE WHEN u(product_id, 27) < 0.14 AND launched < DATE '2024-06-01' THEN greatest(launched + 400, DATE '2023-01-31') + floor(u(product_id, 28) * 640)::int END
FROM (SELECT *, CASE WHEN u(product_id, 26) < 0.62 THEN DATE '2016-03-01' + 7 * floor(u(product_id, 29) * 300)::int
                     ELSE DATE '2022-02-01' + 7 * floor(u(product_id, 29) * 198)::int END AS launched FROM build.item) AS dated
ORDER BY product_id;

INSERT INTO product_suppliers
SELECT product_id, supplier_id, round("unitPrice" * (0.42 + 0.16 * u(product_id * 100 + supplier_id, 41))::numeric, 2),
       (ARRAY[6, 10, 12, 20, 24, 50])[1 + floor(u(product_id * 100 + supplier_id, 42) * 6)::int], rank = 1
FROM (SELECT product_id, "unitPrice", supplier_id, row_number() OVER (PARTITION BY product_id ORDER BY u(product_id * 100 + supplier_id, 40) + (CASE WHEN flg_act = 'N' THEN 1 ELSE 0 END), supplier_id) AS rank
      FROM products JOIN (VALUES (1, '{2,3,11,12}'::int[]), (2, '{6,8,10,12,13,21}'), (3, '{1,7,12,14,24}'), (4, '{6,7,8,12,24}'), (5, '{9,14,20}'), (6, '{14,18,17}'), (7, '{1,4,5,14,24}'),
                                 (8, '{4,5,10,12,13}'), (9, '{14,23}'), (21, '{17,10}'), (25, '{22,21,10}'), (70, '{19,14}'), (74, '{15,16}')) AS makers (family, ids)
           ON family = CASE WHEN category_id IN (21, 25, 70, 74) THEN category_id ELSE (SELECT parent FROM build.leaf WHERE id = category_id) END
      JOIN suppliers ON supplier_id = ANY (ids)) AS ranked
WHERE rank <= 1 + floor(u(product_id, 43) * 2.4)::int;

-- Customers, in the order in which they came.
CREATE TABLE build.person AS
SELECT i AS id, h.code, h.lang, h.dial, pick(w.first, u(i, 51)) AS first, pick(w.last, u(i, 52)) AS last, seg,
       CASE WHEN i <= 4500 THEN DATE '2018-04-02' + floor(1360 * (i / 4500.0::float8) * (1.5 - 0.5 * i / 4500.0::float8))::int ELSE d.day END AS since,
       -- How often somebody buys: few buy a lot.
       least(1 / (0.03 + 0.97 * u(i, 54)), 22) * (CASE seg WHEN 'B' THEN 2.2 WHEN 'C' THEN 1.5 WHEN 'E' THEN 1.3 ELSE 0.75 END) AS zeal
FROM (SELECT i, CASE WHEN s < 0.655 THEN 'P' WHEN s < 0.935 THEN 'C' WHEN s < 0.99 THEN 'B' ELSE 'E' END AS seg
      FROM generate_series(1, 11863) AS i, LATERAL (SELECT u(i, 50) AS s) AS dice) AS n
JOIN LATERAL (SELECT * FROM build.home WHERE low <= u(n.i, 53) * 0.99999 ORDER BY low DESC LIMIT 1) AS h ON true
JOIN build.words w USING (lang)
LEFT JOIN LATERAL (SELECT day FROM build.day WHERE up_to > (SELECT max(up_to) FROM build.day) * 0.99999 * ((i - 4500) / 7363.0::float8) * (0.86 + 0.14 * (i - 4500) / 7363.0::float8)
                   ORDER BY up_to LIMIT 1) AS d ON i > 4500;
INSERT INTO customers (customer_id, first_name, last_name, company_name, email, phone, date_of_birth, iban, country_code, cust_seg_cd, flg_act, dt_crt, newsletter, interests, preferences, loyalty_points, referred_by)
SELECT id, first, last,
       CASE WHEN seg = 'B' THEN pick(CASE lang WHEN 'de' THEN '{Bergschule,Alpinschule,Skiverleih,Wanderreisen,Naturfreunde}' WHEN 'fr' THEN '{Guides,École de montagne,Location Ski,Refuge}' WHEN 'pl' THEN '{Szkoła Górska,Wypożyczalnia,Schronisko}'
                                          WHEN 'it' THEN '{Guide Alpine,Rifugio,Noleggio Sci}' ELSE '{Mountain Guides,Outdoor School,Adventure Travel}' END::text[], u(id, 55)) || ' ' || last END,
       CASE WHEN u(id, 56) < 0.93 THEN plain(first) || '.' || plain(last) || CASE WHEN twin > 1 THEN twin::text ELSE '' END || '@' || pick('{example.com,example.org,example.net}', u(id, 57)) END,
       CASE WHEN u(id, 58) < 0.58 THEN dial || ' 555 ' || lpad(floor(u(id, 59) * 10000000)::text, 7, '0') END,
       CASE WHEN seg <> 'B' AND u(id, 60) < 0.71 THEN DATE '2007-06-30' - floor(21000 * u(id, 61) * (0.45 + 0.55 * u(id, 62)))::int END,
       CASE WHEN u(id, 63) < 0.17 THEN code || '00' || lpad(floor(u(id, 64) * 1000000000)::text, 18, '0') END,
       code, seg, CASE WHEN u(id, 65) < (CASE WHEN since < DATE '2022-01-01' THEN 0.17 WHEN since < DATE '2024-01-01' THEN 0.09 ELSE 0.03 END) THEN 'N' ELSE 'Y' END,
       since, u(id, 66) < CASE seg WHEN 'C' THEN 0.74 WHEN 'P' THEN 0.33 ELSE 0.5 END,
       CASE WHEN u(id, 67) < 0.62 THEN (SELECT array_agg(word ORDER BY ord) FROM unnest('{hiking,climbing,camping,ski touring,trail running,travel}'::text[]) WITH ORDINALITY AS t (word, ord)
            WHERE u(id, 70 + ord) < ('{0.66,0.24,0.37,0.21,0.29,0.33}'::float8[])[ord]) END,
       jsonb_strip_nulls(jsonb_build_object('language', CASE code WHEN 'SE' THEN 'sv' WHEN 'DK' THEN 'da' WHEN 'NO' THEN 'no' ELSE lang END, 'contact', pick('{email,email,email,phone,post}', u(id, 68)),
            'shoe_size', CASE WHEN u(id, 69) < 0.4 THEN 36 + floor((u(id, 77) + u(id, 78)) * 5.5)::int END)),
       0, CASE WHEN u(id, 79) < 0.06 AND id > 50 THEN 1 + floor(u(id, 80) * u(id, 81) * (id - 1))::int END
FROM (SELECT *, row_number() OVER (PARTITION BY plain(first), plain(last) ORDER BY id) AS twin FROM build.person) AS p
ORDER BY id;

INSERT INTO customer_addresses (address_id, customer_id, kind, street, postal_code, city, country_code, valid_during)
SELECT row_number() OVER (ORDER BY id, nth), id, kind, CASE WHEN p.code = 'FR' OR p.code = 'BE' THEN house || ' ' || street ELSE street || ' ' || house END,
       (SELECT string_agg(CASE WHEN letter = '#' THEN floor(u(key * 10 + ord, 86) * 10)::text ELSE letter END, '' ORDER BY ord) FROM unnest(string_to_array(c.postal, NULL)) WITH ORDINALITY AS l (letter, ord)),
       c.city, p.code, daterange(began, ended)
FROM (SELECT p.*, nth, p.id * 4 + nth AS key, CASE WHEN nth = 1 OR moved THEN 'home' WHEN u(id, 83) < 0.7 THEN 'work' ELSE 'holiday' END AS kind, 1 + floor(u(id * 4 + nth, 84) * u(id * 4 + nth, 85) * 140)::int AS house,
             pick(w.streets, u(id * 4 + nth, 87)) AS street, CASE WHEN nth = 2 THEN since + 30 + floor((DATE '2025-12-01' - since - 30) * u(id, 88))::int ELSE since END AS began,
             CASE WHEN nth = 1 AND moved THEN since + 30 + floor((DATE '2025-12-01' - since - 30) * u(id, 88))::int END AS ended
      FROM (SELECT *, u(id, 82) < 0.15 AND since < DATE '2025-06-01' AS moved, u(id, 89) < 0.16 AND since < DATE '2025-06-01' AS other FROM build.person) AS p
      JOIN build.words w USING (lang), generate_series(1, CASE WHEN moved OR other THEN 2 ELSE 1 END) AS nth) AS p
JOIN LATERAL (SELECT * FROM build.city WHERE code = p.code AND low <= u(p.key, 90) ORDER BY low DESC LIMIT 1) AS c ON true;

-- Orders: first when they were placed and by whom, then where.
CREATE TABLE build.placed AS
SELECT row_number() OVER (ORDER BY day, u(customer_id, 100), customer_id, nth) + 100000 AS order_id, *
FROM (SELECT p.id AS customer_id, p.code, p.seg, nth, CASE WHEN nth = 1 AND since >= DATE '2022-01-01' THEN since ELSE d.day END AS day
      FROM (SELECT *, CASE WHEN u(id, 101) < 0.05 THEN 0 ELSE CASE WHEN since >= DATE '2022-01-01' THEN 1 ELSE 0 END
                   + floor(zeal * 2.0 * (last_up - first_up) / 1550 + u(id, 102))::int END AS orders
            FROM build.person
            JOIN LATERAL (SELECT coalesce(min(up_to), 0) AS first_up FROM build.day WHERE day = since) AS a ON true
            JOIN LATERAL (SELECT up_to AS last_up FROM build.day
                          WHERE day = CASE WHEN u(id, 103) < 0.3 THEN greatest(least(since + 200 + floor(u(id, 104) * 1500)::int, DATE '2025-12-31'), DATE '2022-01-01') ELSE DATE '2025-12-31' END) AS b ON true) AS p
      CROSS JOIN LATERAL generate_series(1, orders) AS nth
      JOIN LATERAL (SELECT day FROM build.day WHERE up_to > first_up + (last_up - first_up) * u(p.id * 1000 + nth, 105) * 0.99999 ORDER BY up_to LIMIT 1) AS d ON true) AS t;
ANALYZE build.placed, build.item, products, stores, employees;
CREATE TABLE build.sale AS
SELECT p.*, CASE WHEN s.store_id IS NULL THEN 'web' ELSE 'store' END::sales_channel AS channel, s.store_id,
       (SELECT employee_id FROM employees e WHERE e.store_id = s.store_id AND e.hired_on <= p.day AND coalesce(e.left_on, 'infinity') > p.day
        ORDER BY u(p.order_id * 1000 + e.employee_id, 112) * CASE e.job_title WHEN 'Sales Assistant' THEN 0.2 + u(e.employee_id, 113) ELSE 3 END LIMIT 1) AS employee_id
FROM build.placed p
LEFT JOIN LATERAL (
    SELECT store_id FROM stores WHERE country_code = p.code AND opened_on <= p.day AND coalesce(closed_on, 'infinity') > p.day
       AND u(p.order_id, 110) > ('{0.36,0.42,0.47,0.53}'::float8[])[extract(year FROM p.day)::int - 2021] + (u(p.customer_id, 111) - 0.5) * 0.6
                                + CASE p.code WHEN 'AT' THEN -0.06 WHEN 'DE' THEN 0.06 WHEN 'CH' THEN 0.02 WHEN 'NL' THEN 0.2 WHEN 'FR' THEN 0.22 ELSE 0.12 END
    ORDER BY u(CASE WHEN u(p.order_id, 114) < 0.85 THEN p.customer_id ELSE p.order_id END * 100 + store_id, 115) / (floor_area_sqm * (0.7 + 0.6 * u(store_id, 116))) LIMIT 1) AS s ON true;

-- What was bought: every product has a share in every month, by appeal, season, launch and end.
CREATE TABLE build.demand AS
SELECT month, product_id, sum(weight) OVER w AS up_to
FROM (SELECT m::date AS month, i.product_id,
             i.appeal / (0.5 + 0.05 * i.size) * (0.12 + 1 / (0.12 + 4 * i.luck)) * (1.35 - 0.7 * i.v)
             * (CASE i.season WHEN 'summer' THEN '{0.40,0.42,0.72,1.0,1.4,1.7,1.8,1.5,1.0,0.68,0.5,0.7}' WHEN 'winter' THEN '{1.7,1.4,0.8,0.42,0.22,0.16,0.2,0.33,0.62,1.2,1.8,2.2}'
                              ELSE '{0.9,0.86,0.95,1,1.05,1.05,1.05,1,1,1,1.1,1.3}' END::float8[])[extract(month FROM m)::int]
             * (0.6 + 0.8 * u(i.product_id * 10 + extract(year FROM m)::int, 120)) AS weight
      FROM build.item i JOIN products p USING (product_id), generate_series(timestamp '2022-01-01', '2025-12-01', '1 month') AS m
      WHERE p.launched_on <= m AND coalesce(p.discontinued_on, 'infinity') > m + interval '1 month') AS t
WINDOW w AS (PARTITION BY month ORDER BY product_id);
CREATE UNIQUE INDEX ON build.demand (month, up_to) INCLUDE (product_id);
CREATE TABLE build.month AS SELECT month, max(up_to) AS total FROM build.demand GROUP BY month;
ANALYZE build.demand;
CREATE TABLE build.line AS
SELECT l.*, row_number() OVER (PARTITION BY order_id ORDER BY pos)::smallint AS line_no, round(quantity * unit_price * (1 - discount / 100), 2) AS total,
       CASE WHEN u(key, 133) < comes_back * CASE WHEN channel = 'web' THEN 1.5 ELSE 0.55 END AND day + CASE WHEN channel = 'web' THEN 10 ELSE 2 END + floor(u(key, 134) * 26)::int <= DATE '2025-12-31'
            THEN CASE WHEN u(key, 135) < 0.9 THEN quantity ELSE greatest(quantity / 2, 1) END END AS sent_back
FROM (SELECT DISTINCT ON (s.order_id, d.product_id) s.order_id, s.day, s.channel, pos, key, d.product_id, x.noun, x.comes_back,
             1 + CASE WHEN u(key, 130) < (CASE WHEN x."unitPrice" < 40 THEN 0.3 ELSE 0.04 END) THEN 1 + floor(u(key, 131) * 2)::int ELSE 0 END
               + CASE WHEN s.seg = 'B' THEN floor(u(key, 132) * u(key, 136) * 9)::int ELSE 0 END AS quantity,
             round(x."unitPrice" * ('{0.88,0.94,0.98,1}'::numeric[])[extract(year FROM s.day)::int - 2021] + 0.05) - 0.05 AS unit_price,
             CASE WHEN s.seg = 'E' THEN 25 WHEN s.seg = 'B' THEN 10
                  WHEN to_char(s.day, 'MMDD') BETWEEN '1122' AND '1130' AND u(key, 137) < 0.55 THEN pick('{10,20,20,30}', u(key, 138))::numeric
                  WHEN extract(month FROM s.day) IN (1, 2, 7, 8) AND u(key, 137) < 0.24 THEN pick('{10,20,30,30,40}', u(key, 138))::numeric
                  WHEN u(key, 137) < 0.05 THEN 10 ELSE 0 END::numeric(4,1) AS discount
      FROM build.sale s
      CROSS JOIN LATERAL generate_series(1, CASE WHEN u(order_id, 139) < 0.35 THEN 1 WHEN u(order_id, 139) < 0.61 THEN 2 WHEN u(order_id, 139) < 0.79 THEN 3 WHEN u(order_id, 139) < 0.90 THEN 4
                                                       WHEN u(order_id, 139) < 0.96 THEN 5 ELSE 7 END + CASE WHEN seg = 'B' THEN 2 ELSE 0 END) AS pos
      JOIN build.month m ON m.month = date_trunc('month', s.day::timestamp)::date
      CROSS JOIN LATERAL (SELECT s.order_id * 10 + pos AS key) AS k
      JOIN LATERAL (SELECT product_id FROM build.demand d WHERE d.month = m.month AND d.up_to > m.total * 0.99999 * u(key, 140) ORDER BY up_to LIMIT 1) AS d ON true
      JOIN (SELECT product_id, "unitPrice", noun, comes_back FROM products JOIN build.item USING (product_id)) AS x USING (product_id)
      ORDER BY s.order_id, d.product_id, pos) AS l;

CREATE TABLE build.done AS
SELECT s.order_id, s.day, s.customer_id, s.channel, s.store_id, s.employee_id, s.code, items.total,
       CASE WHEN s.channel = 'store' OR items.total >= CASE WHEN s.code IN ('CH', 'NO') THEN 150 ELSE 80 END OR s.seg = 'B' THEN 0 WHEN s.code IN ('CH', 'NO') THEN 12.90 WHEN s.code IN ('AT', 'DE') THEN 4.95 ELSE 7.90 END AS shipping,
       CASE WHEN u(s.order_id, 150) < CASE WHEN s.channel = 'web' THEN 0.052 ELSE 0.006 END THEN 'cancelled'
            WHEN s.channel = 'web' AND s.day > DATE '2025-12-29' THEN pick('{pending,paid,paid}', u(s.order_id, 151))
            WHEN s.channel = 'web' AND s.day > DATE '2025-12-28' THEN pick('{pending,paid,shipped,shipped}', u(s.order_id, 151))
            WHEN s.channel = 'web' AND s.day > DATE '2025-12-20' THEN CASE WHEN u(s.order_id, 151) * 5 < s.day - DATE '2025-12-20' THEN 'shipped' ELSE 'delivered' END
            WHEN kept = 0 THEN 'returned' ELSE 'delivered' END::order_status AS status
FROM build.sale s
JOIN (SELECT order_id, sum(total) AS total, sum(quantity - coalesce(sent_back, 0)) AS kept FROM build.line GROUP BY order_id) AS items USING (order_id);
ANALYZE build.line, build.done, customers;
INSERT INTO orders (order_id, ordered_on, customer_id, channel, store_id, employee_id, status, items_total, shipping_cost)
SELECT order_id, day, customer_id, channel, store_id, employee_id, status, total, shipping FROM build.done ORDER BY order_id;
INSERT INTO order_items (order_id, ordered_on, line_no, product_id, quantity, unit_price, discount_percent)
SELECT order_id, day, line_no, product_id, quantity, unit_price, discount FROM build.line ORDER BY order_id, line_no;
INSERT INTO returns (return_id, order_id, line_no, returned_on, quantity, reason, refund_amount, restocked)
SELECT row_number() OVER (ORDER BY back, order_id, line_no), order_id, line_no, back, sent_back,
       (CASE WHEN noun ~ 'Boot|Shoe|Jacket|Trousers|Sandal|Glove|Layer|Harness|Helmet' THEN pick('{too small,too small,too small,too small,too large,too large,too large,changed mind,changed mind,not as described,defective}', dice)
             WHEN channel = 'web' THEN pick('{changed mind,changed mind,changed mind,not as described,not as described,defective,defective,late delivery}', dice)
             ELSE pick('{changed mind,changed mind,defective,defective,defective,not as described}', dice) END)::return_reason, round(total * sent_back / quantity, 2), dice2 < 0.83
FROM (SELECT l.*, d.status, l.day + CASE WHEN l.channel = 'web' THEN 10 ELSE 2 END + floor(u(key, 134) * 26)::int AS back, u(key, 160) AS dice, u(key, 161) AS dice2 FROM build.line l JOIN build.done d USING (order_id)
      WHERE sent_back > 0 AND d.status IN ('delivered', 'returned')) AS r;
INSERT INTO payments (payment_id, order_id, ordered_on, method, amount, due_on, paid_at)
SELECT row_number() OVER (ORDER BY order_id, part), order_id, day, method, amount, CASE WHEN method = 'invoice' THEN day + 14 ELSE day END,
       CASE WHEN method <> 'invoice' THEN moment
            WHEN u(order_id, 172) > 0.018 AND day + 2 + floor(u(order_id, 173) * 24)::int <= DATE '2025-12-31' THEN moment + interval '1 day' * (2 + floor(u(order_id, 173) * 24)::int) END
FROM (SELECT order_id, day, part, (day + time '08:00') AT TIME ZONE 'UTC' + interval '1 second' * floor(u(order_id, 171) * 37800) AS moment,
             CASE WHEN has_card AND part = 1 THEN 'gift card' ELSE usual END::payment_method AS method,
             CASE WHEN has_card THEN CASE part WHEN 1 THEN card ELSE owed - card END ELSE owed END AS amount
      FROM (SELECT *, total + shipping AS owed, (ARRAY[25, 50, 50, 100])[1 + floor(u(order_id, 174) * 4)::int] AS card,
                   u(order_id, 175) < 0.033 AND total + shipping > 100 AS has_card,
                   CASE WHEN channel = 'store' THEN pick(CASE WHEN code IN ('AT', 'DE') THEN '{card,card,card,card,card,cash,cash,cash,wallet}' ELSE '{card,card,card,card,card,card,cash,wallet}' END::text[], u(order_id, 176))
                        WHEN code IN ('AT', 'DE', 'CH') THEN pick('{invoice,invoice,invoice,wallet,wallet,wallet,card,card,card,bank transfer}', u(order_id, 176))
                        ELSE pick('{card,card,card,card,card,wallet,wallet,wallet,bank transfer,invoice}', u(order_id, 176)) END AS usual
            FROM build.done WHERE status NOT IN ('cancelled', 'pending')) AS d, generate_series(1, CASE WHEN has_card THEN 2 ELSE 1 END) AS part) AS p;
INSERT INTO shipments (shipment_id, order_id, ordered_on, carrier, tracking_number, shipped_at, delivered_at, weight_kg)
SELECT row_number() OVER (ORDER BY order_id), order_id, day, carrier, upper(left(plain(carrier), 2)) || lpad((order_id * 7919 % 1000000007)::text, 10, '0'), sent,
       CASE WHEN status <> 'shipped' AND u(order_id, 182) > 0.004 THEN least(timestamptz '2025-12-31 08:00Z' + interval '1 minute' * floor(540 * u(order_id, 186)), sent + interval '1 minute' * floor(720 + (0.5 + u(order_id, 183)) * (0.4 + u(order_id, 184)) * slow * 1440)) END,
       round(grams / 1000.0 + 0.2, 2)
FROM (SELECT *, CASE carrier WHEN 'Alpenpost' THEN 1.3 WHEN 'EuroKurier' THEN 2.2 WHEN 'Nordpaket' THEN 3.4 WHEN 'PaczkaPlus' THEN 1.7 ELSE 2.6 END AS slow FROM (
      SELECT *, CASE WHEN code IN ('AT', 'CH', 'SI', 'IT') THEN pick('{Alpenpost,Alpenpost,Alpenpost,EuroKurier}', u(order_id, 180)) WHEN code IN ('PL', 'CZ') THEN pick('{PaczkaPlus,PaczkaPlus,EuroKurier}', u(order_id, 180))
                     WHEN code IN ('FR', 'BE', 'ES') THEN pick('{Colis Vert,Colis Vert,EuroKurier}', u(order_id, 180)) WHEN code IN ('SE', 'DK', 'NO') THEN 'Nordpaket' ELSE pick('{EuroKurier,EuroKurier,EuroKurier,Alpenpost,Nordpaket}', u(order_id, 180)) END AS carrier,
             (day + time '06:30') AT TIME ZONE 'UTC' + interval '1 minute' * floor(60 + u(order_id, 181) * u(order_id, 185) * 3000) AS sent FROM build.done
      WHERE channel = 'web' AND status IN ('shipped', 'delivered', 'returned')) AS a) AS d
JOIN (SELECT order_id, sum(quantity * coalesce(weight_g, 150)) AS grams FROM build.line JOIN products USING (product_id) GROUP BY order_id) AS w USING (order_id);

INSERT INTO campaigns VALUES
    (1, 'Winterschlussverkauf 2022', 'print', '[2022-01-10,2022-02-13)', 18000, '{AT,DE,CH}'), (2, 'Wanderfrühling 2022', 'email', '[2022-04-04,2022-05-09)', 4500, '{AT,DE,CH}'),
    (3, 'Soldes d’été 2022', 'search', '[2022-06-22,2022-07-20)', 9000, '{FR,BE}'), (4, 'Black Week 2022', 'social', '[2022-11-21,2022-11-29)', 21000, '{AT,DE,CH,IT,NL}'),
    (5, 'Winterschlussverkauf 2023', 'print', '[2023-01-09,2023-02-12)', 19500, '{AT,DE,CH}'), (6, 'Wiosna w Tatrach 2023', 'social', '[2023-04-17,2023-05-22)', 6200, '{PL}'),
    (7, 'Eröffnung Hamburg', 'print', '[2023-03-20,2023-04-17)', 15000, '{DE}'), (8, 'Zeltwochen 2023', 'email', '[2023-05-29,2023-07-03)', 5200, '{AT,DE,CH,NL}'),
    (9, 'Saldi estivi 2023', 'search', '[2023-07-03,2023-08-01)', 7800, '{IT}'), (10, 'Black Week 2023', 'social', '[2023-11-20,2023-11-28)', 26000, '{AT,DE,CH,IT,NL,PL,CZ,FR}'),
    (11, 'Winterschlussverkauf 2024', 'email', '[2024-01-08,2024-02-11)', 8800, '{AT,DE,CH}'), (12, 'Jarní výprodej 2024', 'search', '[2024-03-18,2024-04-15)', 5400, '{CZ}'),
    (13, 'Opening Utrecht', 'social', '[2024-04-08,2024-05-06)', 12500, '{NL}'), (14, 'Wandersommer 2024', 'print', '[2024-06-03,2024-07-15)', 31000, '{AT,DE,CH}'),
    (15, 'Gipfelclub-Tage 2024', 'email', '[2024-09-16,2024-10-01)', 3900, '{AT,DE,CH,IT}'), (16, 'Black Week 2024', 'social', '[2024-11-25,2024-12-03)', 29500, '{AT,DE,CH,IT,NL,PL,CZ,FR,BE}'),
    (17, 'Skitouren-Auftakt 2025', 'email', '[2025-01-07,2025-02-04)', 6100, '{AT,DE,CH,IT}'), (18, 'Wiosna w Tatrach 2025', 'social', '[2025-04-14,2025-05-19)', 8300, '{PL}'),
    (19, 'Randonnée 2025', 'search', '[2025-05-12,2025-06-23)', 11800, '{FR,BE}'), (20, 'Wandersommer 2025', 'print', '[2025-06-02,2025-07-14)', 33500, '{AT,DE,CH}'),
    (21, 'Otvoritev Ljubljana', 'print', '[2025-09-15,2025-10-13)', 9800, '{SI}'), (22, 'Gipfelclub-Tage 2025', 'email', '[2025-09-15,2025-09-30)', 4300, '{AT,DE,CH,IT}'),
    (23, 'Black Week 2025', 'social', '[2025-11-24,2025-12-02)', 34000, '{AT,DE,CH,IT,NL,PL,CZ,FR,BE}'), (24, 'Weihnachten 2025', 'search', '[2025-12-01,2025-12-22)', 16500, '{AT,DE,CH,CZ,PL}');
INSERT INTO campaign_orders
SELECT campaign_id, order_id, day FROM build.done JOIN campaigns ON runs @> day AND code = ANY (target_countries::text[])
WHERE u(order_id * 100 + campaign_id, 190) < CASE medium WHEN 'email' THEN 0.15 WHEN 'search' THEN 0.24 WHEN 'social' THEN 0.19 ELSE 0.07 END * (1.5 + 1.6 * u(campaign_id, 191)) * CASE WHEN channel = 'web' OR medium = 'print' THEN 1 ELSE 0.3 END;

INSERT INTO inventory
SELECT store_id, product_id, CASE WHEN u(key, 201) < 0.06 THEN 0 ELSE floor((1 + 26 * u(key, 202) * u(key, 203)) * CASE WHEN "unitPrice" < 40 THEN 2.2 WHEN "unitPrice" > 250 THEN 0.4 ELSE 1 END * (0.5 + floor_area_sqm / 1200.0::float8))::int END,
       (ARRAY[2, 3, 4, 6, 10])[1 + CASE WHEN "unitPrice" < 40 THEN 2 ELSE 0 END + floor(u(key, 204) * 3)::int],
       CASE WHEN u(key, 205) < 0.88 THEN DATE '2025-10-06' + floor(u(store_id, 206) * 60)::int END
FROM stores CROSS JOIN products CROSS JOIN LATERAL (SELECT store_id * 10000 + product_id AS key) AS k
WHERE closed_on IS NULL AND discontinued_on IS NULL AND u(key, 200) < 0.3 + floor_area_sqm / 2600.0::float8;

CREATE TABLE build.praise (lang text, good text[], fair text[], bad text[]);
INSERT INTO build.praise VALUES
    ('de', '{"Sitzt perfekt, auch nach zwei Wochen Hüttentour.","Sehr gute Qualität, gerne wieder.","Leicht, robust und schön verarbeitet.","Jeden Euro wert.","Hat auf der Alpenüberquerung nie enttäuscht.","Super Beratung im Geschäft, top Produkt."}',
           '{"Ganz in Ordnung, fällt aber klein aus.","Gut, aber etwas teuer.","Für kurze Touren ausreichend."}', '{"Nach drei Monaten kaputt.","Nicht wasserdicht, schade.","Größe stimmt überhaupt nicht."}'),
    ('fr', '{"Très confortable, même après dix heures de marche.","Excellent rapport qualité-prix.","Léger et solide, je recommande.","Parfait pour le GR 20."}', '{"Correct, mais taille petit.","Pas mal, sans plus."}', '{"Déçu : la couture a lâché.","Pas étanche du tout."}'),
    ('it', '{"Ottimo prodotto, leggero e resistente.","Perfetto per le Dolomiti.","Comodissimo fin dal primo giorno."}', '{"Buono, ma un po’ caro.","Va bene per gite brevi."}', '{"Si è rotto dopo un mese.","La taglia non corrisponde."}'),
    ('pl', '{"Świetna jakość, polecam.","Sprawdziło się w Tatrach zimą.","Bardzo wygodne i lekkie.","Warte swojej ceny."}', '{"W porządku, ale rozmiar za mały.","Może być."}', '{"Przemaka już przy lekkim deszczu.","Zepsuło się po miesiącu."}'),
    ('nl', '{"Zit als gegoten, heel tevreden.","Licht en stevig.","Prima voor de Alpen."}', '{"Valt wat klein.","Goed, maar prijzig."}', '{"Na een paar weken al stuk."}'),
    ('cs', '{"Skvělá kvalita, doporučuji.","Pohodlné a lehké.","V Krkonoších se osvědčilo."}', '{"Ujde to, trochu malé."}', '{"Po měsíci se rozpadlo.","Promokne při prvním dešti."}'),
    ('en', '{"Great gear, would buy again.","Kept me dry for a week in Norway.","Light and tough."}', '{"Decent, but runs small.","OK for the price."}', '{"Zip broke after a month.","Not as described."}');
INSERT INTO reviews (review_id, product_id, customer_id, reviewed_on, rating, language, review_text)
SELECT row_number() OVER (ORDER BY told, product_id, customer_id), product_id, customer_id, told, rating, lang,
       CASE WHEN u(key, 211) < 0.68 THEN pick(CASE WHEN rating >= 4 THEN good WHEN rating = 3 THEN fair ELSE bad END, u(key, 212)) END
FROM (SELECT DISTINCT ON (product_id, customer_id) l.product_id, d.customer_id, l.key, coalesce(w.lang, 'en') AS lang, l.day + 9 + floor(u(key, 213) * 60)::int AS told,
             greatest(1, least(5, round(CASE WHEN u(key, 217) < 0.07 THEN 1.3 ELSE 3.0 + 1.9 * u(l.product_id, 214) END - CASE WHEN l.sent_back > 0 THEN 1.4 ELSE 0 END + (u(key, 215) + u(key, 216) - 0.8) * 1.7)))::smallint AS rating, w.good, w.fair, w.bad
      FROM build.line l JOIN build.done d USING (order_id) JOIN customers c USING (customer_id)
      LEFT JOIN LATERAL (SELECT * FROM build.praise WHERE lang IN (c.preferences ->> 'language', 'en') ORDER BY lang = 'en' LIMIT 1) AS w ON true
      WHERE d.status IN ('delivered', 'returned') AND u(l.key, 210) < CASE WHEN d.channel = 'web' THEN 0.082 ELSE 0.028 END AND l.day + 9 + floor(u(key, 213) * 60)::int <= DATE '2025-12-31'
      ORDER BY product_id, customer_id, order_id) AS r;
INSERT INTO support_tickets (ticket_id, customer_id, order_id, ordered_on, topic, subject, priority, opened_at, closed_at, satisfaction, is_confidential)
SELECT row_number() OVER (ORDER BY opened, id), customer_id, order_id, ordered_on, topic, subject, priority::ticket_priority, opened, closed,
       CASE WHEN closed IS NOT NULL AND u(id, 226) < 0.47 THEN greatest(1, least(5, round(6 - slow * 0.35 - 2.6 * u(id, 227))))::smallint END, topic IN ('accident', 'data protection', 'legal')
FROM (SELECT *, CASE WHEN opened + interval '1 minute' * floor(slow * 1440) < timestamptz '2025-12-31 18:00Z' AND u(id, 225) > 0.015 THEN opened + interval '1 minute' * floor(slow * 1440) END AS closed
      FROM (SELECT t.*, h.subject, CASE WHEN t.topic IN ('accident', 'legal') THEN 'urgent' WHEN t.topic = 'data protection' THEN 'high' ELSE pick('{low,low,normal,normal,normal,normal,normal,high,high,urgent}', u(id, 222)) END AS priority,
                   (0.1 + 5 * u(id, 223) * u(id, 224) * u(id, 228) * CASE WHEN t.topic IN ('accident', 'legal', 'data protection') THEN 4 WHEN t.topic = 'product defect' THEN 2.2 ELSE 1 END) * 2 AS slow
            FROM (SELECT order_id AS id, customer_id, order_id, day AS ordered_on, preferences ->> 'language' AS lang, (day + time '07:00') AT TIME ZONE 'UTC' + interval '1 minute' * floor(90 + 24000 * u(order_id, 220) * u(order_id, 229)) AS opened,
                         CASE WHEN u(order_id, 221) < 0.008 THEN 'accident' WHEN u(order_id, 221) < 0.021 THEN 'legal' WHEN channel = 'web' THEN pick('{delivery,delivery,delivery,return,return,return,product defect,product defect,invoice}', u(order_id, 230))
                              ELSE pick('{product defect,product defect,product defect,return,invoice,advice}', u(order_id, 230)) END AS topic
                  FROM build.done JOIN customers USING (customer_id) WHERE u(order_id, 231) < CASE WHEN channel = 'web' THEN 0.083 ELSE 0.024 END
                  UNION ALL
                  SELECT customer_id, customer_id, NULL, NULL, preferences ->> 'language', (greatest(dt_crt, DATE '2022-01-01') + time '07:00') AT TIME ZONE 'UTC' + interval '1 minute' * floor((DATE '2025-12-31' - greatest(dt_crt, DATE '2022-01-01')) * u(customer_id, 232) * 1440),
                         pick('{advice,advice,advice,account,account,data protection,data protection}', u(customer_id, 230))
                  FROM customers WHERE u(customer_id, 233) < 0.071) AS t
            JOIN LATERAL (SELECT pick(CASE WHEN lang = 'de' THEN german WHEN lang = 'fr' THEN french WHEN lang = 'pl' THEN polish ELSE english END, u(id, 234)) AS subject
                          FROM (VALUES ('delivery', '{"Paket nicht angekommen","Wo bleibt meine Bestellung?","Lieferung beschädigt"}'::text[], '{"Colis non reçu","Livraison en retard"}'::text[], '{"Paczka nie dotarła","Opóźniona dostawa"}'::text[], '{"Parcel not arrived","Where is my order?","Damaged parcel"}'::text[]),
                                       ('return', '{"Rücksendung: Erstattung fehlt","Umtausch in andere Größe"}', '{"Remboursement non reçu","Échange de taille"}', '{"Zwrot pieniędzy","Wymiana na inny rozmiar"}', '{"Refund missing","Exchange for another size"}'),
                                       ('product defect', '{"Reißverschluss defekt","Sohle löst sich","Naht aufgegangen","Zelt undicht"}', '{"Semelle décollée","Fermeture cassée"}', '{"Zepsuty zamek","Odkleja się podeszwa"}', '{"Broken zip","Sole comes off","Tent leaks"}'),
                                       ('invoice', '{"Rechnung doppelt erhalten","Rechnungsadresse ändern"}', '{"Erreur sur la facture"}', '{"Błąd na fakturze"}', '{"Wrong amount on invoice"}'), ('advice', '{"Welche Schuhgröße?","Beratung Tourenski"}', '{"Quelle tente choisir ?"}', '{"Jakie buty w Tatry?"}', '{"Which sleeping bag for winter?"}'),
                                       ('account', '{"Passwort vergessen","Konto löschen"}', '{"Mot de passe oublié"}', '{"Nie mogę się zalogować"}', '{"Cannot log in"}'), ('data protection', '{"Auskunft nach DSGVO"}', '{"Demande RGPD"}', '{"Wniosek RODO"}', '{"GDPR request"}'),
                                       ('accident', '{"Sturz: Karabiner gebrochen","Verletzung durch Produkt"}', '{"Accident en montagne"}', '{"Wypadek w górach"}', '{"Injury caused by product"}'), ('legal', '{"Schreiben vom Anwalt"}', '{"Courrier d’avocat"}', '{"Pismo od adwokata"}', '{"Letter from a lawyer"}')) AS s (topic, german, french, polish, english)
                          WHERE s.topic = t.topic) AS h ON true
            WHERE t.opened < timestamptz '2026-01-01 00:00Z') AS a) AS b;
INSERT INTO "Gift Cards"
SELECT 'GW-' || upper(substr(md5('card' || i), 1, 4)) || '-' || (10000 + i), CASE WHEN u(i, 240) < 0.6 THEN 1 + floor(u(i, 241) * 4490)::int END,
       (ARRAY[25, 25, 50, 50, 50, 100, 100, 150, 200])[1 + floor(u(i, 242) * 9)::int], day, CASE WHEN u(i, 243) < 0.72 AND day + 6 + floor(u(i, 244) * 330)::int <= DATE '2025-12-31' THEN day + 6 + floor(u(i, 244) * 330)::int END
FROM generate_series(1, 1387) AS i JOIN LATERAL (SELECT day FROM build.day WHERE up_to > (SELECT max(up_to) FROM build.day) * 0.99999 * u(i, 245) ORDER BY up_to LIMIT 1) AS d ON true;

INSERT INTO web.sessions
SELECT md5('visit' || id)::uuid, customer_id, order_id, CASE WHEN order_id IS NOT NULL THEN day END,
       (day + time '05:00') AT TIME ZONE 'UTC' + interval '1 second' * floor(u(id, 255) * 64000), interval '1 second' * floor(pages * (12 + 65 * u(id, 256))), pages,
       pick(CASE WHEN order_id IS NULL THEN '{phone,phone,phone,phone,phone,phone,desktop,desktop,tablet}' ELSE '{phone,phone,phone,phone,desktop,desktop,desktop,desktop,tablet}' END::text[], u(id, 257)),
       pick(CASE WHEN order_id IS NULL THEN '{direct,direct,search,search,search,search,newsletter,social,social,social,ad,ad}' ELSE '{direct,direct,direct,direct,search,search,search,newsletter,newsletter,newsletter,social,ad}' END::text[], u(id, 258)),
       CASE WHEN u(id, 259) < 0.9 THEN ('203.0.113.' || floor(u(id, 260) * 254 + 1))::inet END
FROM (SELECT order_id AS id, customer_id, order_id, day, 4 + floor(u(order_id, 251) * u(order_id, 252) * 40)::int AS pages FROM build.done WHERE channel = 'web' AND day >= DATE '2025-01-01' AND u(order_id, 250) < 0.22
      UNION ALL
      SELECT i, CASE WHEN u(i, 253) < 0.27 THEN 1 + floor(u(i, 254) * 9400)::int END, NULL, d.day, 1 + floor(u(i, 251) * u(i, 252) * u(i, 261) * 36)::int
      FROM generate_series(1000001, 1025714) AS i JOIN LATERAL (SELECT day FROM build.day WHERE day >= DATE '2025-01-01' AND up_to > (SELECT max(up_to) FROM build.day WHERE day < DATE '2025-01-01')
                + (SELECT max(up_to) - min(up_to) FROM build.day WHERE day >= DATE '2025-01-01') * u(i, 262) ORDER BY up_to LIMIT 1) AS d ON true) AS v;

UPDATE customers c SET loyalty_points = points
FROM (SELECT customer_id, floor(sum(revenue) / 10)::int AS points FROM orders GROUP BY customer_id) AS o WHERE o.customer_id = c.customer_id AND cust_seg_cd = 'C' AND points > 0;
UPDATE products p SET abc_cls = CASE WHEN before < 0.7 THEN 'A' WHEN before < 0.9 THEN 'B' ELSE 'C' END
FROM (SELECT product_id, (sum(amount) OVER (ORDER BY amount DESC, product_id) - amount) / sum(amount) OVER () AS before
      FROM (SELECT product_id, sum(line_total) AS amount FROM order_items GROUP BY product_id) AS s) AS ranked WHERE ranked.product_id = p.product_id;

-- The next inserts go on where the rows end.
DO $$
DECLARE key record;
BEGIN
    FOR key IN SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES' LOOP
        EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), max(%I)) FROM %I', key.table_name, key.column_name, key.column_name, key.table_name);
    END LOOP;
END $$;

DROP SCHEMA build CASCADE;
-- Every foreign key holds: a row that refers to nothing stops the load.
DO $$
DECLARE key record; orphans bigint;
BEGIN
    FOR key IN SELECT c.conname, c.conrelid::regclass AS child, c.confrelid::regclass AS parent,
                      string_agg(format('p.%I = c.%I', p.attname, a.attname), ' AND ') AS same, string_agg(format('c.%I IS NOT NULL', a.attname), ' AND ') AS filled
               FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k (child_no, parent_no)
               JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = child_no JOIN pg_attribute p ON p.attrelid = c.confrelid AND p.attnum = parent_no
               WHERE c.contype = 'f' AND c.conparentid = 0 GROUP BY c.oid LOOP
        EXECUTE format('SELECT count(*) FROM %s AS c WHERE %s AND NOT EXISTS (SELECT FROM %s AS p WHERE %s)', key.child, key.filled, key.parent, key.same) INTO orphans;
        IF orphans > 0 THEN
            RAISE EXCEPTION 'foreign key % does not hold for % rows', key.conname, orphans;
        END IF;
    END LOOP;
END $$;

REFRESH MATERIALIZED VIEW product_sales;
COMMIT;
