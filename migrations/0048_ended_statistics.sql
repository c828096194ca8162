-- How many deliveries ended since a day. The statistics of the partial index `deliveries_ended` do not count: without these the
-- planner expects a third of all deliveries, and reads them all.
create statistics deliveries_ended_at on ((data -> 'at')::bigint) from deliveries;
analyze deliveries;
