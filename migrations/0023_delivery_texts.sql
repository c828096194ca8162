-- What goes out to one account. The post's own text is the shared one, which lists show.
alter table deliveries add column text text;
update deliveries d set text = p.text from posts p where p.post_id = d.post_id;
alter table deliveries alter column text set not null;
