-- The losses of runs whose records stand in several logs, or not in the order of their lines.

delete from told_loss where run_id in (select run_id from main_loss where not is_whole);

insert into told_loss from told_losses('sorted_record');
