-- The first day of the month in UTC.
create or replace function spending_month(at timestamptz) returns date language sql immutable as $$
  select date_trunc('month', at at time zone 'UTC')::date
$$;
