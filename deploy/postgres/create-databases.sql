-- A database and its owner for every service. Runs by itself on the empty volume of a new container; on any other
-- server: psql "$ADMIN_URL" -f deploy/postgres/create-databases.sql, with DB_PASSWORD_<SERVICE> in the environment.
-- Running it again changes nothing but the passwords.
\set ON_ERROR_STOP on

\getenv gateway DB_PASSWORD_GATEWAY
\getenv catalog DB_PASSWORD_CATALOG
\getenv checkout DB_PASSWORD_CHECKOUT
\getenv billing DB_PASSWORD_BILLING
\getenv affiliate DB_PASSWORD_AFFILIATE
\getenv metrics DB_PASSWORD_METRICS
\getenv webhook_dispatcher DB_PASSWORD_WEBHOOK_DISPATCHER

-- A variable that is not set is a syntax error here, before anything is made.
create temporary table owner (name text, password text);
insert into owner values
  ('gateway', :'gateway'),
  ('catalog', :'catalog'),
  ('checkout', :'checkout'),
  ('billing', :'billing'),
  ('affiliate', :'affiliate'),
  ('metrics', :'metrics'),
  ('webhook_dispatcher', :'webhook_dispatcher');

select format('create role %I login', name) from owner
where not exists (select from pg_roles where rolname = name) \gexec

select format('alter role %I password %L', name, password) from owner \gexec

select format('create database %I owner %I', name, name) from owner
where not exists (select from pg_database where datname = name) \gexec

-- PostgreSQL lets everybody connect to a new database: here its owner alone.
select format('revoke connect on database %I from public', name) from owner \gexec
