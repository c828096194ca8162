alter table deliveries rename column slot to lane;
