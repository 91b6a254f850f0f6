-- Ends the clocks of users who can use another account from now on. `new` is an account or a membership. The lock makes
-- a user who is getting a clock get it before or after.
create or replace function end_sandbox_clock() returns trigger language plpgsql as $$
begin
  perform from users where id = new.user_id for key share;
  update sandbox_clocks set is_ending = true
  where not is_ending and (user_id = new.user_id
    or user_id in (select user_id from memberships where organization_id = new.organization_id));
  return null;
end $$;
