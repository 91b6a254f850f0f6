-- A time as the API shows it: ISO 8601 in UTC with milliseconds.
create or replace function api_time(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
