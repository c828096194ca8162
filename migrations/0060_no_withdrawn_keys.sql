-- A request that may still arrive is no longer made void: its key is kept and sent again, which finds its post.
drop table withdrawn_keys;
