-- A transaction of its own: reads the table while follow-ups are worked on.
alter table follow_ups validate constraint follow_ups_kind_check;
