-- A brand's weekly times are a posting schedule; a queue is only the screen that lists all posts.
alter table queues rename to schedules;
alter table queue_slots rename to schedule_slots;
alter table schedules rename column queue_id to schedule_id;
alter table schedule_slots rename column queue_id to schedule_id;
alter table posts rename column queue_id to schedule_id;

-- Constraints take their indexes along. PostgreSQL 18 names `not null` constraints, earlier versions do not have them.
do $$
declare
  it record;
begin
  for it in
    select conrelid::regclass as of_table, conname as name from pg_constraint
    where connamespace = current_schema()::regnamespace and conname ~ 'queue' and conrelid <> 0
  loop
    execute format('alter table %s rename constraint %I to %I', it.of_table, it.name, replace(it.name, 'queue', 'schedule'));
  end loop;
  for it in
    select relname as name, case relkind when 'i' then 'index' else 'sequence' end as kind from pg_class
    where relnamespace = current_schema()::regnamespace and relname ~ 'queue' and relkind in ('i', 'S')
  loop
    execute format('alter %s %I rename to %I', it.kind, it.name, replace(it.name, 'queue', 'schedule'));
  end loop;
end $$;

-- The place that a draft proposes.
alter table drafts drop column planned_for, drop column slot_queue_id;
update drafts
set content = content - 'queue' || jsonb_build_object('schedule',
  (content -> 'queue') - 'queue_id' || jsonb_build_object('schedule_id', content #> '{queue,queue_id}'))
where jsonb_typeof(content -> 'queue') = 'object';
alter table drafts
  add column planned_for jsonb
    generated always as (coalesce(nullif(content -> 'publish_at', 'null'), content #> '{schedule,slot}')) stored,
  add column slot_schedule_id bigint generated always as (
    case when nullif(content -> 'publish_at', 'null') is null and content #> '{schedule,slot}' is not null
      then (content #>> '{schedule,schedule_id}')::bigint end) stored;

-- What the reason of a pause names.
update deliveries set data = jsonb_set(data, '{reason,text,params,0}', '"schedule"')
where reason_code = 'paused' and data #> '{reason,text,params,0}' = '"queue"';
