-- What everything is, for an analyst in the duckdb shell:
--   select table_name, comment from duckdb_tables(); select view_name, comment from duckdb_views() where not internal;
--   select column_name, comment from duckdb_columns() where table_name = 'speed_table';
-- `create or replace view` drops comments: a migration that replaces a view comments it again.

comment on table log is
    'One row per content that was read as a log: the same bytes under ten paths are one row. Filled by ingest. See sighting for the places, measurement for the values.';
comment on column log.log_id is 'Id of the log (table log): a hash of its content.';
comment on column log.content_hash is 'Hash of the decompressed bytes.';
comment on column log.bytes is 'Size in bytes, decompressed.';
comment on column log.lines is 'Number of lines.';
comment on column log.format is 'Name of the format that it was read as; NULL if none fits.';
comment on column log.format_version is 'Version of the format.';
comment on column log.definitions_hash is
    'Hash of the definitions that it was read under: another one means that bench ingest --refresh would read it again.';
comment on column log.pieces is 'Pieces cut from the anchored lines: records + ignored + rejects.';
comment on column log.records is 'Pieces that are records.';
comment on column log.ignored is
    'Pieces that the format ignores for a stated reason (table kept.ignored_piece).';
comment on column log.rejects is 'Pieces that should have been records and are not (table reject).';
comment on column log.notes is 'Records that have text left behind their values.';
comment on column log.evidence is
    'What the format was recognised by; for an unknown log the nearest format and what it misses.';
comment on column log.load_number is
    'Number of the load that wrote it, counted up as they come: its records lie where record.load_number is this.';

comment on table kept.root is
    'One row per root: a folder or an archive that was named to be read. Filled by ingest.';
comment on column kept.root.root_id is 'A keyed hash of its real path: where it lies.';
comment on column kept.root.name is 'The last part of its path, an archive''s without its suffix, redacted.';

comment on table sighting is
    'One row per place where a file was seen, by path, archive and member. Filled by ingest.';
comment on column sighting.sighting_id is 'Id of the sighting (table sighting).';
comment on column sighting.log_id is
    'Id of the content (table log); NULL for a file that was not read as a log.';
comment on column sighting.path is 'Path below its root, or below the innermost archive, redacted.';
comment on column sighting.archive is 'Archive on the disk that holds it, or the compressed file, below its root, or the root''s own name; NULL for a plain file.';
comment on column sighting.member is 'The names that lead to it through that archive, with !/ after each archive; NULL for a file, and for what a lone compressed file holds.';
comment on column sighting.campaign is 'Campaign that this place puts its runs in; NULL for a file that was not read as a log and of which nobody states one.';
comment on column sighting.campaign_source is 'What says so: the option --campaign-name, a facts.toml, the folder left of what a name rule matched (name), or the log''s own folder.';
comment on column sighting.root_id is 'The root (table kept.root) that it lies below: the outermost that is known. NULL for a file that was not read as a log.';
comment on column sighting.campaign_path is
    'Folders below the root that name the campaign, empty for the root itself; NULL where the campaign is stated.';
comment on column sighting.place is
    'A keyed hash of the real path: which file it is. A manifest lists files by it.';
comment on column sighting.words is
    'Words of the file''s name and of the folders that are no part of the campaign, without numbers, times and what names nothing.';
comment on column sighting.folders is
    'The folder and those above it, the nearest first, as keyed hashes: a sidecar holds for what is below it.';
comment on column sighting.folder is 'A keyed hash of the real folder: logs of one folder may be of one run.';
comment on column sighting.stem is
    'File name without its endings: logs of one folder and stem are of one run.';
comment on column sighting.name_rule is 'Rule of ingest/names/ that matched the path.';
comment on column sighting.modified_at is 'Modification time of the file, or of the member of an archive, as it tells it; NULL if it tells none.';
comment on column sighting.ingested_at is 'Time at which it was first ingested.';
comment on column sighting.definitions_hash is
    'Hash of the definitions that it was read under: another one means that bench ingest --refresh would read it again.';
comment on column sighting.status is
    'What became of the file: loaded, duplicate, superseded, facts, empty, unrecognised or unreadable.';
comment on column sighting.reason is 'Why it was not loaded, or what it repeats.';

comment on table kept.sighting_file is 'One row per file that a manifest lists, at one place where that manifest was seen.';
comment on column kept.sighting_file.sighting_id is 'Id of the manifest''s sighting (table sighting).';
comment on column kept.sighting_file.file is 'The file as the manifest lists it, relative to its folder.';
comment on column kept.sighting_file.place is 'Where that is: a keyed hash of the real path, as in sighting.place.';

comment on table kept.sighting_fact is
    'One row per statement that a place makes about its runs: facts.toml, or its name. Filled by ingest; fact holds what each run made of them.';
comment on column kept.sighting_fact.sighting_id is 'Id of the sighting (table sighting).';
comment on column kept.sighting_fact.name is 'What is stated: a column of bench_case or environment, or trial.';
comment on column kept.sighting_fact.value is 'Value in our words.';
comment on column kept.sighting_fact.value_logged is 'Value as it was spelled.';
comment on column kept.sighting_fact.source is 'correct, facts.toml or name.';
comment on column kept.sighting_fact.place is 'Where exactly it stands: file and line, or rule.';

comment on table kept.ignored_piece is
    'One row per log and reason: how many pieces of the log its format ignores for that reason. They sum up to log.ignored.';
comment on column kept.ignored_piece.log_id is 'Id of the log (table log): a hash of its content.';
comment on column kept.ignored_piece.reason is 'Reason that the format gives.';
comment on column kept.ignored_piece.pieces is 'Number of pieces.';

comment on table reject is
    'One row per piece of a log that should have been a record and is not. Nothing is lost: the text is kept, as it is.';
comment on column reject.log_id is 'Id of the log (table log): a hash of its content.';
comment on column reject.line is 'Line of the log, from 1.';
comment on column reject.byte_offset is 'Offset of the record in the decompressed log, in bytes.';
comment on column reject.record is 'Record that it should have been; NULL if that is not known.';
comment on column reject.reason is 'Why it is none: no head, no template, bad json, too long.';
comment on column reject.text is 'The piece, at most 1,000 characters, redacted.';

comment on table kept.shape is
    'One row per value of a line layout: what the k-th value of a record of this layout is. Written once per layout; join measurement rather than this.';
comment on column kept.shape.shape_id is 'Id of the line layout (table kept.shape).';
comment on column kept.shape.ordinal is 'Position of the value in its record, from 1.';
comment on column kept.shape.format is 'Format that defines the record.';
comment on column kept.shape.record is 'Name of the record in its format.';
comment on column kept.shape.kind is
    'step, summary, parameter, event, sample (telemetry) or kernel (profiler).';
comment on column kept.shape.phase is
    'train unless the format says validation or inference; NULL for telemetry.';
comment on column kept.shape.name is 'Name of the value as the log spells it.';
comment on column kept.shape.quantity is
    'What the value is: throughput, loss, memory_used, ... NULL if the format does not declare it.';
comment on column kept.shape.unit is
    'Unit: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1. NULL if it is not known.';
comment on column kept.shape.unit_logged is 'Unit as the log spells it.';
comment on column kept.shape.scope is 'Whether the value is per gpu, per node or global; NULL if it is not known.';

comment on table kept.record is
    'One row per piece of a log that is a record, with all its values in a list. measurement shows one row per value, with names and units: ask that.';
comment on column kept.record.log_id is 'Id of the log (table log): a hash of its content.';
comment on column kept.record.line is 'Line of the log, from 1.';
comment on column kept.record.byte_offset is 'Offset of the record in the decompressed log, in bytes.';
comment on column kept.record.shape_id is 'Id of the line layout (table kept.shape).';
comment on column kept.record.step is 'Step that the record states.';
comment on column kept.record.epoch is 'Epoch that the record states.';
comment on column kept.record.rank is 'Rank of the process that printed the record; NULL if it says none.';
comment on column kept.record.device is 'Device that the record is of, as the log names it.';
comment on column kept.record.label is 'Name of the record''s kernel or event.';
comment on column kept.record.logged_at is 'Time that the record states.';
comment on column kept.record.clock_s is 'Seconds on the log''s own clock, where it has no date.';
comment on column kept.record."values" is
    'Values in the order of shape.ordinal, scaled to the shape''s unit; NULL where the value is text or absent.';
comment on column kept.record.texts is
    'Values that are no number, in the order of shape.ordinal; NULL if all are numbers.';
comment on column kept.record.lead is 'Text before the record on its line that no lead template explains.';
comment on column kept.record.note is 'Text behind the values that is no value.';
comment on column kept.record.load_number is
    'The load_number of its log: a filter on it beside log_id reads those records only that one load wrote.';

comment on table kept.segment is
    'One row per execution that left its lines in a log: a log can hold several. Filled by ingest, input of run.';
comment on column kept.segment.log_id is 'Id of the log (table log): a hash of its content.';
comment on column kept.segment.segment is 'Number of the execution within its log, from 1 (table kept.segment).';
comment on column kept.segment.role is
    'What this log is: train, duplicate_stream, telemetry, profile or sidecar.';
comment on column kept.segment.first_line is 'First line of the part.';
comment on column kept.segment.last_line is 'Last line of the part.';
comment on column kept.segment.first_record_line is 'Line of its first record.';
comment on column kept.segment.last_record_line is 'Line of its last record.';
comment on column kept.segment.started_at is 'Time at which it started, by the log.';
comment on column kept.segment.ended_at is 'Time of its last dated record; other lines may go on long after it.';
comment on column kept.segment.records is 'Number of records.';
comment on column kept.segment.step_records is 'Number of records of kind step.';
comment on column kept.segment.steps_done is
    'Last step that it states; NULL where its steps begin anew in each epoch.';
comment on column kept.segment.step_gap is 'Usual distance between the steps that it prints.';
comment on column kept.segment.last_step_line is 'Line of its last step.';
comment on column kept.segment.first_epoch is
    'Number that its program gives the first epoch, where steps begin anew in each; else NULL.';
comment on column kept.segment.last_epoch is 'Last epoch that it states.';
comment on column kept.segment.epoch_step is 'Last step of that epoch.';
comment on column kept.segment.closing_line is 'Line of its closing summary; NULL if it has none.';
comment on column kept.segment.closing_speed is 'Speed that its closing summary states.';
comment on column kept.segment.expects_closing is 'Whether a complete log of this format ends with a closing summary.';
comment on column kept.segment.final_loss_nan is 'Whether its last loss is not a number.';
comment on column kept.segment.event_status is 'Status that an event in it speaks for, such as oom.';
comment on column kept.segment.event_line is 'Line of that event.';
comment on column kept.segment.event_text is 'Text of that event, its first 200 characters; the whole of it is in measurement.';
comment on column kept.segment.stream is 'Times of its first records, in microseconds since 1970, by which a duplicate stream is recognised.';
comment on column kept.segment.losses is 'Its first losses, in order, by which a duplicate stream is recognised where a log has no times.';
comment on column kept.segment.devices is 'Devices of the log that belong to it; NULL for all.';

comment on table kept.log_fact is
    'One row per statement that a segment of a log makes about its run, before it is compared with other sources. fact holds the outcome.';
comment on column kept.log_fact.log_id is 'Id of the log (table log): a hash of its content.';
comment on column kept.log_fact.segment is 'Number of the execution within its log, from 1 (table kept.segment).';
comment on column kept.log_fact.name is
    'What is stated: a column of bench_case or environment, or steps_planned.';
comment on column kept.log_fact.value is 'Value in our words.';
comment on column kept.log_fact.value_logged is 'Value as it was spelled.';
comment on column kept.log_fact.line is 'Line of the log that states it.';
comment on column kept.log_fact.trust is 'Which statement of one log counts: the lowest.';
comment on column kept.log_fact.strength is
    'stated: a printed value; counted: lines that repeat, at least so many; usual: the value that most lines have; '
    'quoted: a command line that is printed as text.';

comment on table bench_case is
    'One row per case: what was run. NULL is what no log, manifest, facts.toml or name states.';
comment on column bench_case.case_id is 'Id of the case (table bench_case).';
comment on column bench_case.name is 'Name of the case: model, processes, batch size, precision, GPUs.';
comment on column bench_case.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column bench_case.implementation is
    'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column bench_case.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column bench_case.task is 'Task, such as pretraining, squad, classification.';
comment on column bench_case.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column bench_case.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column bench_case.global_batch_size is 'Samples per optimizer step over all GPUs and accumulation steps.';
comment on column bench_case.nodes is 'Number of machines.';
comment on column bench_case.gpus is 'Number of GPUs over all nodes.';
comment on column bench_case.seq_len is 'Sequence length in tokens.';
comment on column bench_case.gradient_accumulation is 'Forward passes per optimizer step.';
comment on column bench_case.options is 'JSON of the other settings that make it another case.';

comment on table environment is
    'One row per environment: where it was run. NULL is what nothing states.';
comment on column environment.environment_id is 'Id of the environment (table environment).';
comment on column environment.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column environment.gpu_family is 'GPU family, such as V100.';
comment on column environment.gpus_per_node is 'GPUs of one machine.';
comment on column environment.gpu_memory_mib is 'Memory of one GPU in MiB.';
comment on column environment.driver_version is 'Version of the NVIDIA driver.';
comment on column environment.cuda_version is 'Version of CUDA.';
comment on column environment.cudnn_version is 'Version of cuDNN.';
comment on column environment.nccl_version is 'Version of NCCL.';
comment on column environment.mpi_version is 'Version of MPI.';
comment on column environment.framework_version is 'Version of the framework.';
comment on column environment.implementation_version is 'Version or commit of the training program.';
comment on column environment.image is 'Container image.';
comment on column environment.interconnect is 'Network between the machines.';
comment on column environment.topology is 'Links between the GPUs of a machine.';
comment on column environment.cpu_model is 'Processor.';
comment on column environment.cpu_count is 'Number of processor cores.';
comment on column environment.memory_mib is 'Main memory of a machine in MiB.';
comment on column environment.os is 'Operating system.';
comment on column environment.python_version is 'Version of Python.';
comment on column environment.libraries is 'Other libraries with their versions.';

comment on table run is
    'One row per execution of a case. Start here: join bench_case by case_id, environment by environment_id, run_log for its logs, fact for the source of each statement.';
comment on column run.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column run.run_key is
    'Key of the run as it is shown: 12 hex digits of its log''s hash, -, the line of its first record.';
comment on column run.case_id is 'Id of the case (table bench_case).';
comment on column run.environment_id is 'Id of the environment (table environment).';
comment on column run.trial is 'Repetition number that is stated; NULL if none is.';
comment on column run.started_at is 'Start: time of the first dated record of its log, else the start that its manifest states; NULL if nothing states it.';
comment on column run.ended_at is 'Time of the last dated record of its log (other lines may go on long after it), else the end that its manifest states. Equal to started_at where only one record is dated: such a run has no duration.';
comment on column run.time_source is 'Where the times come from: log or manifest; view kept.run_time falls back on files.';
comment on column run.status is
    'How the run ended: ok, oom, nan, timeout, failed, truncated (stops without its end), too_few_steps, unknown (nothing says).';
comment on column run.reason is 'Evidence for the status, in words.';
comment on column run.status_log_id is 'Log that holds the line which decided the status.';
comment on column run.status_line is 'Line that decided the status.';
comment on column run.steps_planned is 'Steps that the run was to do.';
comment on column run.steps_done is
    'Last step that its log states. Where steps begin anew in each epoch: NULL unless epochs and steps of an epoch are known.';
comment on column run.exit_code is 'Exit code of the process, from a manifest.';

comment on table kept.run_alias is
    'One row per key that a run once had: keys that were shown stay valid.';
comment on column kept.run_alias.old_key is 'Key that the run once had.';
comment on column kept.run_alias.run_key is 'Key that the run has now.';

comment on table run_log is
    'One row per run and part of a log that belongs to it.';
comment on column run_log.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column run_log.log_id is 'Id of the log (table log): a hash of its content.';
comment on column run_log.sighting_id is 'Place of the log through which it was paired.';
comment on column run_log.role is
    'What the log is to its run: train, duplicate_stream (the same records as JSON), telemetry, profile, manifest, sidecar.';
comment on column run_log.segment is 'Number of the execution within its log, from 1 (table kept.segment).';
comment on column run_log.first_line is 'First line of the part.';
comment on column run_log.last_line is 'Last line of the part.';
comment on column run_log.devices is 'Devices of a telemetry log that belong to the run; NULL for all.';
comment on column run_log.paired_by is 'What decided that the log belongs to the run.';

comment on table kept.stream_only is
    'One row per record of a duplicate stream (a JSON twin) that the train log of its run lacks; these stay in view measurement.';
comment on column kept.stream_only.log_id is 'Id of the log (table log): a hash of its content.';
comment on column kept.stream_only.byte_offset is 'Offset of the record in the decompressed log, in bytes.';

comment on table fact is
    'One row per statement about a run, with its source. Of contradicting ones all are kept; used marks the one that counts.';
comment on column fact.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column fact.name is 'What is stated: a column of bench_case, environment or run.';
comment on column fact.value is 'Value in our words.';
comment on column fact.value_logged is 'Value as it was spelled.';
comment on column fact.source is
    'Order of trust: correct, log, manifest, sidecar, facts.toml, name; derived is computed from others.';
comment on column fact.log_id is 'Log that states it.';
comment on column fact.line is 'Line that states it.';
comment on column fact.sighting_id is 'Place that states it.';
comment on column fact.place is 'Where exactly it stands: file and line, or rule.';
comment on column fact.strength is
    'stated: a printed value; counted: lines that repeat, at least so many; usual: the value that most lines have; '
    'quoted: a command line that is printed as text.';
comment on column fact.used is 'Whether this statement counts: at most one per run and name.';

comment on table kept.exclusion is
    'One row per run that a person left out of every table, with the reason (bench exclude). It stays when the run''s log is removed.';
comment on column kept.exclusion.run_key is 'Key of the run, also an old one.';
comment on column kept.exclusion.reason is 'Why.';
comment on column kept.exclusion.excluded_at is 'When.';
comment on column kept.exclusion.excluded_by is 'By whom.';

comment on table kept.format is
    'One row per log format whose definition was last used. Filled from ingest/formats/.';
comment on column kept.format.format is 'Name of the log format.';
comment on column kept.format.version is 'Version of the definition.';
comment on column kept.format.framework is 'Framework of the program, where the format says it.';
comment on column kept.format.implementation is 'Program, where the format says it.';
comment on column kept.format.default_rule is 'Rule that is_default marks for its logs.';
comment on column kept.format.role is 'What a log of this format is to a run.';

comment on table kept.rule is
    'One row per rule: a named, sourced way to turn records into a speed of a run, and speeds of runs into a number of a series. Filled from queries/rules/.';
comment on column kept.rule.rule is 'Id of the rule (table kept.rule).';
comment on column kept.rule.source is 'Document and section, or script and lines, that define it.';
comment on column kept.rule."window" is 'Which records are used, in words.';
comment on column kept.rule.statistic is 'What is made of the records of a run: last, mean, median, or trimmed (the mean without the extremes).';
comment on column kept.rule.ranks is
    'all: records of all ranks as they come; first: of the lowest rank only; median: of each step the median over its ranks; each: the window counts the records of each rank apart; mean: so, and the mean over the ranks of the mean of each.';
comment on column kept.rule.rounding is
    'Rounding of a run''s speed: round_even (as numpy), round_exact (as %.2f), truncate, significant (as %.5g), round2_truncate (as int(round(x, 2))); NULL for none.';
comment on column kept.rule.trial_statistic is
    'What is made of the trials of a series: mean, median, or olympic: the mean without the trial_drop lowest and highest.';
comment on column kept.rule.description is 'The rule in one sentence.';
comment on column kept.rule.formats is 'Formats that it applies to; NULL for all.';
comment on column kept.rule.kind is 'Records that it reads: step or summary.';
comment on column kept.rule.name is 'Name of the value that it reads; NULL for any throughput.';
comment on column kept.rule.skip is 'Records left out at the start.';
comment on column kept.rule.skip_last is 'Records left out at the end.';
comment on column kept.rule.trim is 'Of a trimmed mean: how many of the lowest and of the highest are left out.';
comment on column kept.rule.trim_from is 'Of a trimmed mean: of fewer records none is left out.';
comment on column kept.rule.volume is
    'What is set against the time of a step: step, its own samples; window, those of all steps of the window, as an owner codes it.';
comment on column kept.rule.per is
    'gpu: its number is that of one GPU, as its owner publishes it, and a speed-up is of both numbers times their GPUs; NULL: that of all.';
comment on column kept.rule.take is 'Records used after that; NULL for all.';
comment on column kept.rule.positive_only is 'Whether values of 0 and below are left out.';
comment on column kept.rule.rounding_digits is 'Digits of the rounding of a run''s speed.';
comment on column kept.rule.trial_rounding is 'Rounding of a series'' speed, as in rounding.';
comment on column kept.rule.trial_rounding_digits is 'Digits of the rounding of a series'' speed.';
comment on column kept.rule.quantity is
    'What it reads: throughput, step_time, epoch_time (all as printed), interval (time between two step records of a rank), round (time between two rounds of all ranks) or span (time from the first record of one label to the last of another, as name says); NULL for the first of throughput, step_time and interval that a run has.';
comment on column kept.rule.unit is
    'Unit of its values: samples/s, tokens/s, items/s, steps/s, s and min (a step, or a span), TFLOP/s; NULL for the one that is printed, samples/s where times are.';
comment on column kept.rule.average_of is
    'rates: the statistic is taken of speeds; times: of times, so that a mean is volume over time.';
comment on column kept.rule.batch is
    'Samples of a step: global, the global batch; pass, the batch of a GPU times the GPUs, for programs that call each pass a step, however many of them change the weights once.';
comment on column kept.rule.after_step is 'Only steps after this number; an interval lies wholly after it. NULL for no bound.';
comment on column kept.rule.to_step is 'Only steps up to this number. NULL for no bound.';
comment on column kept.rule.complete is 'Whether a window that is not whole gives no value.';
comment on column kept.rule.reading_rounding is 'Rounding of every value that it reads, as in rounding.';
comment on column kept.rule.reading_rounding_digits is 'Digits of the rounding of the values that it reads.';
comment on column kept.rule.zero_fails is 'Whether a value below 1 means that the run failed.';
comment on column kept.rule.fallback is
    'Rule that stands in for it as a format''s default, where it gives no number; NULL for none.';
comment on column kept.rule.speedup_rounding is 'Rounding of a speed-up by it, as in rounding.';
comment on column kept.rule.speedup_rounding_digits is 'Digits of the rounding of a speed-up.';
comment on column kept.rule.trial_count_offset is
    'What its owner adds to the count of trials before dividing by it, so as not to divide by 0; NULL for nothing.';
comment on column kept.rule.trial_drop is
    'Of an olympic mean: how many of the lowest and of the highest trials it leaves out; each run without a number is one of the highest.';
comment on column kept.rule.trial_factor is
    'The fact, if stated of the runs, that the number over trials is multiplied by; NULL for none.';

comment on table kept.demanded_runs is
    'One row per score and benchmark: how many runs a submission needs. Filled by ingest from queries/submissions/.';
comment on column kept.demanded_runs.rule is 'Id of the rule that scores a submission (table kept.rule).';
comment on column kept.demanded_runs.benchmark is 'What the suite calls the benchmark (fact benchmark of a run).';
comment on column kept.demanded_runs.runs is 'Fewest runs that have a score.';

comment on table published is
    'One row per number that others published, to compare with. Filled by ingest from queries/published/. See published_table for ours beside it.';
comment on column published.source is 'Document that states it.';
comment on column published.revision is 'Commit of the document; NULL if it is not known.';
comment on column published.section is 'Where in the document the table stands.';
comment on column published.cell is 'Row and column in that table, as what they say of the case.';
comment on column published.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow. NULL here and below: the document does not state it.';
comment on column published.implementation is
    'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column published.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column published.task is 'Task, such as pretraining, squad, classification.';
comment on column published.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column published.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column published.nodes is 'Number of machines.';
comment on column published.gpus is 'Number of GPUs over all nodes.';
comment on column published.seq_len is 'Sequence length in tokens.';
comment on column published.gradient_accumulation is 'Passes per optimizer step.';
comment on column published.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column published.campaign is 'Glob of the campaign that holds the document''s own logs, such as *454a0608*Bert?logs*: a commit is in it however the folder spells the rest. NULL if they are not known.';
comment on column published.rule is 'Rule by which the document got the number; NULL if it is not known.';
comment on column published.quantity is 'speed or speedup.';
comment on column published.printed is 'Number as printed, digit by digit.';
comment on column published.value is 'The same as a number.';
comment on column published.unit is 'Unit: samples/s, tokens/s, items/s, steps/s, s, TFLOP/s; 1 for a speed-up.';
comment on column published.url is 'Address of the document; NULL if it is not known.';
comment on column published.note is 'What is known to be wrong with the number; NULL for nothing.';

comment on table kept.schema_version is
    'One row per migration that this database has had; the highest version is the one of its tables and views.';
comment on column kept.schema_version.version is 'Number of the migration.';
comment on column kept.schema_version.applied_at is 'When it was applied, UTC.';
comment on column kept.schema_version.benchledger_version is 'Version of the program that applied it.';
comment on column kept.schema_version.digest is 'Hash of the migration''s file: a ledger made by an edited one is refused.';

comment on view kept.file_place is
    'One row per way to name a file that was seen: its path, and where people are told that it lies.';
comment on column kept.file_place.sighting_id is 'Id of the sighting (table sighting).';
comment on column kept.file_place.log_id is 'Id of the content (table log); NULL for a file that was not read as a log.';
comment on column kept.file_place.place is 'The path, or archive!/member.';

comment on view kept.run_source is
    'One row per run and part of the log that its numbers come from: its train log, or its JSON twin where there is no other. Helper of other views.';
comment on column kept.run_source.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.run_source.log_id is 'Id of the log (table log): a hash of its content.';
comment on column kept.run_source.segment is 'Number of the execution within its log, from 1 (table kept.segment).';
comment on column kept.run_source.role is
    'What the log is to its run: train, duplicate_stream (the same records as JSON), telemetry, profile, manifest, sidecar.';
comment on column kept.run_source.first_line is 'First line of the part.';
comment on column kept.run_source.last_line is 'Last line of the part.';

comment on view kept.measurement_all is
    'One row per value of every record, also of duplicate streams. Ask measurement unless you look for duplicates.';
comment on column kept.measurement_all.run_id is 'Id of the run; NULL where no run claims the log.';
comment on column kept.measurement_all.log_id is 'Id of the log (table log): a hash of its content.';
comment on column kept.measurement_all.role is 'What the log is to the run; NULL where no run claims it.';
comment on column kept.measurement_all.line is 'Line of the log, from 1.';
comment on column kept.measurement_all.byte_offset is 'Offset of the record in the decompressed log, in bytes.';
comment on column kept.measurement_all.kind is
    'step, summary, parameter, event, sample (telemetry) or kernel (profiler).';
comment on column kept.measurement_all.phase is
    'train unless the format says validation or inference; NULL for telemetry.';
comment on column kept.measurement_all.ordinal is 'Position of the value in its record, from 1.';
comment on column kept.measurement_all.step is 'Step that the record states.';
comment on column kept.measurement_all.epoch is 'Epoch that the record states.';
comment on column kept.measurement_all.rank is 'Rank of the process that printed the record; NULL if it says none.';
comment on column kept.measurement_all.device is 'Device that the record is of, as the log names it.';
comment on column kept.measurement_all.label is 'Name of the record''s kernel or event.';
comment on column kept.measurement_all.logged_at is 'Time that the record states.';
comment on column kept.measurement_all.clock_s is 'Seconds on the log''s own clock, where it has no date.';
comment on column kept.measurement_all.name is
    'Name of the value as the log spells it, such as step_loss or memory.used.';
comment on column kept.measurement_all.quantity is
    'What the value is: throughput, loss, memory_used, ... NULL if the format does not declare it.';
comment on column kept.measurement_all.value is 'Value, scaled to unit; NULL if it is text.';
comment on column kept.measurement_all.text is 'Value that is no number.';
comment on column kept.measurement_all.unit is
    'Unit: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1. NULL if it is not known.';
comment on column kept.measurement_all.unit_logged is 'Unit as the log spells it.';
comment on column kept.measurement_all.scope is 'Whether the value is per gpu, per node or global; NULL if it is not known.';

comment on view measurement is
    'One row per value that a log holds: steps, summaries, parameters, events, telemetry, kernels. A duplicate stream is left out where the train log has its records. Filter by run_id, name or quantity.';
comment on column measurement.run_id is 'Id of the run; NULL where no run claims the log.';
comment on column measurement.log_id is 'Id of the log (table log): a hash of its content.';
comment on column measurement.role is 'What the log is to the run; NULL where no run claims it.';
comment on column measurement.line is 'Line of the log, from 1.';
comment on column measurement.byte_offset is 'Offset of the record in the decompressed log, in bytes.';
comment on column measurement.kind is
    'step, summary, parameter, event, sample (telemetry) or kernel (profiler).';
comment on column measurement.phase is
    'train unless the format says validation or inference; NULL for telemetry.';
comment on column measurement.ordinal is 'Position of the value in its record, from 1.';
comment on column measurement.step is 'Step that the record states.';
comment on column measurement.epoch is 'Epoch that the record states.';
comment on column measurement.rank is 'Rank of the process that printed the record; NULL if it says none.';
comment on column measurement.device is 'Device that the record is of, as the log names it.';
comment on column measurement.label is 'Name of the record''s kernel or event.';
comment on column measurement.logged_at is 'Time that the record states.';
comment on column measurement.clock_s is 'Seconds on the log''s own clock, where it has no date.';
comment on column measurement.name is
    'Name of the value as the log spells it, such as step_loss or memory.used.';
comment on column measurement.quantity is
    'What the value is: throughput, loss, memory_used, ... NULL if the format does not declare it.';
comment on column measurement.value is 'Value, scaled to unit; NULL if it is text.';
comment on column measurement.text is 'Value that is no number.';
comment on column measurement.unit is
    'Unit: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1. NULL if it is not known.';
comment on column measurement.unit_logged is 'Unit as the log spells it.';
comment on column measurement.scope is 'Whether the value is per gpu, per node or global; NULL if it is not known.';

comment on view kept.run_record is
    'One row per record that a run''s speed and loss are computed from. Helper of run_speed and loss_curve.';
comment on column kept.run_record.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.run_record.part is
    '0: record of the run''s source log; 1: record that only its duplicate stream has.';
comment on column kept.run_record.log_id is 'Id of the log (table log): a hash of its content.';
comment on column kept.run_record.line is 'Line of the log, from 1.';
comment on column kept.run_record.byte_offset is 'Offset of the record in the decompressed log, in bytes.';
comment on column kept.run_record.shape_id is 'Id of the line layout (table kept.shape).';
comment on column kept.run_record.step is 'Step that the record states.';
comment on column kept.run_record.epoch is 'Epoch that the record states.';
comment on column kept.run_record.rank is 'Rank of the process that printed the record; NULL if it says none.';
comment on column kept.run_record.device is 'Device that the record is of, as the log names it.';
comment on column kept.run_record.label is 'Name of the record''s kernel or event.';
comment on column kept.run_record.logged_at is 'Time that the record states.';
comment on column kept.run_record.clock_s is 'Seconds on the log''s own clock, where it has no date.';
comment on column kept.run_record."values" is 'Values in the order of shape.ordinal.';
comment on column kept.run_record.texts is 'Values that are no number; NULL if all are numbers.';
comment on column kept.run_record.lead is 'Text before the record on its line that no lead template explains.';
comment on column kept.run_record.note is 'Text behind the values that is no value.';

comment on view kept.run_time is 'One row per run: when it was, and by whose clock.';
comment on column kept.run_time.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.run_time.started_at is
    'As run.started_at; where neither log nor manifest says it, the earliest time of a file with its log, in UTC.';
comment on column kept.run_time.ended_at is 'As run.ended_at: no file says it.';
comment on column kept.run_time.time_source is
    'Whose time it is: log, manifest, member (of an archive) or file. The last two are no more than the time of the file.';

comment on view kept.run_campaign is
    'One row per run and campaign that it belongs to: the one that its manifest names, else one per place in which its log was seen.';
comment on column kept.run_campaign.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.run_campaign.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';

comment on view kept.excluded_run is
    'One row per run that an exclusion leaves out, also under an older key.';
comment on column kept.excluded_run.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.excluded_run.run_key is
    'Key of the run as it is shown: 12 hex digits of its log''s hash, -, the line of its first record.';
comment on column kept.excluded_run.reason is 'Why; several reasons where several of its keys are excluded.';
comment on column kept.excluded_run.excluded_at is 'When last.';
comment on column kept.excluded_run.excluded_by is 'By whom, where that was said.';

comment on table kept.series_member is
    'One row per run and series, with what decides the membership. Helper of series and series_run.';
comment on column kept.series_member.series_id is
    'Id of the series (table series): a hash of campaign, case and the four facts of the environment.';
comment on column kept.series_member.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.series_member.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column kept.series_member.case_id is 'Id of the case (table bench_case).';
comment on column kept.series_member.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column kept.series_member.gpu_memory_mib is 'Memory of one GPU in MiB.';
comment on column kept.series_member.framework_version is 'Version of the framework.';
comment on column kept.series_member.implementation_version is 'Version or commit of the training program.';
comment on column kept.series_member.stated_trial is 'Repetition number that the run states; NULL if none.';
comment on column kept.series_member.started_at is 'Time at which it started, by the log.';
comment on column kept.series_member.run_key is 'Key of the run.';
comment on column kept.series_member.environment_id is 'Id of the environment (table environment).';

comment on table series is
    'One row per series: the trials of one case in one campaign on one kind of GPU with one version of the software. The only thing over which trials are averaged.';
comment on column series.series_id is
    'Id of the series (table series): a hash of campaign, case and the four facts of the environment.';
comment on column series.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column series.case_id is 'Id of the case (table bench_case).';
comment on column series.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column series.gpu_memory_mib is 'Memory of one GPU in MiB.';
comment on column series.framework_version is 'Version of the framework.';
comment on column series.implementation_version is 'Version or commit of the training program.';
comment on column series.mixed is
    'In what else the runs of the series differ: other columns of environment, and names (words of files and folders that equal no fact); NULL if nothing.';

comment on table kept.series_run is
    'One row per run of a series, with its trial number. Excluded runs are in none.';
comment on column kept.series_run.series_id is
    'Id of the series (table series): a hash of campaign, case and the four facts of the environment.';
comment on column kept.series_run.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.series_run.trial is
    'Repetition number in the series: as stated where that is unique, else by time of start.';

comment on table conflict is
    'One row per statement about a run that contradicts the one that counts.';
comment on column conflict.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column conflict.name is 'What is stated twice.';
comment on column conflict.used_value is 'Value that counts; NULL where none does, because nothing decides.';
comment on column conflict.other_value is 'Value that contradicts it.';
comment on column conflict.used_source is 'Source of the value that counts.';
comment on column conflict.other_source is 'Source of the contradicting value.';

comment on table kept.run_format is
    'One row per run: the format of the log that its numbers come from. Helper of run_speed and speed_table.';
comment on column kept.run_format.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.run_format.format is 'Id of the format.';

comment on view kept.default_rule is
    'One row per format and rule that may be its default: the one that it names, and the fallbacks behind it.';
comment on column kept.default_rule.format is 'Id of the format.';
comment on column kept.default_rule.rule is 'Id of the rule (table kept.rule).';
comment on column kept.default_rule.place is '1: named by the format; 2 and more: fallback of the rule before it.';

comment on view run_speed is
    'One row per run, rule, phase and unit: the global speed of the run under the rule, or that of one GPU where rule.per says so. Filter by is_default for one speed a run.';
comment on column run_speed.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column run_speed.case_id is 'Id of the case (table bench_case).';
comment on column run_speed.rule is 'Id of the rule (table kept.rule).';
comment on column run_speed.is_default is
    'Whether it is the speed to show: by the default rule of the log''s format or, where that gives no number, the first fallback that does.';
comment on column run_speed.phase is 'train, validation or inference.';
comment on column run_speed.value is
    'Speed over all GPUs, or of one where rule.per says so; also of a failed run, where there is one; NULL if none can be computed.';
comment on column run_speed.unit is
    'Unit: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1. NULL if it is not known.';
comment on column run_speed.records_used is 'Number of records that the value is made of.';
comment on column run_speed.records_skipped is
    'Number of records that the rule leaves out, or that are unusable (not a number; no time between two steps).';
comment on column run_speed.status is
    'ok, too_few_records, missing_fact, mixed (several throughputs, which one is not said), or the run''s status.';
comment on column run_speed.reason is 'Why there is no value; names the missing fact.';
comment on column run_speed.is_trial is
    'Whether the value counts in speed_table: the run is ok or unknown, or was cut off after all that the rule asks for.';

comment on table kept.silent_run is
    'One row per run whose records have nothing that the default rule of its format reads. Helper of run_speed.';
comment on column kept.silent_run.run_id is 'Id of the run (table run).';
comment on column kept.silent_run.rule is 'Id of the rule (table kept.rule).';

comment on table kept.run_fallback is
    'One row per run and phase for which not the default rule of its format, but a fallback of it is the first that gives a number. Helper of run_speed.';
comment on column kept.run_fallback.run_id is 'Id of the run (table run).';
comment on column kept.run_fallback.phase is 'train, validation or inference.';
comment on column kept.run_fallback.rule is 'Id of the rule (table kept.rule).';

comment on table kept.contradicted_speed is
    'One row per run, rule, phase and unit whose value, made of steps, is less than half of the closing throughput.';
comment on column kept.contradicted_speed.run_id is 'Id of the run (table run).';
comment on column kept.contradicted_speed.rule is 'Id of the rule (table kept.rule).';
comment on column kept.contradicted_speed.phase is 'train, validation or inference.';
comment on column kept.contradicted_speed.unit is 'Unit of the value.';
comment on column kept.contradicted_speed.reason is 'By how much the closing throughput is more.';

comment on table kept.speed is
    'One row per run, rule, phase and unit: what run_speed says before anything is known of how the run ended. Kept, so that no answer reads its records again.';
comment on column kept.speed.run_id is 'Id of the run (table run).';
comment on column kept.speed.rule is 'Id of the rule (table kept.rule).';
comment on column kept.speed.phase is 'train, validation or inference.';
comment on column kept.speed.unit is 'Unit of the value; NULL if it is not known.';
comment on column kept.speed.value is 'Speed, or time, of the run under the rule; NULL if none can be computed.';
comment on column kept.speed.records_used is 'Number of records that the value is made of.';
comment on column kept.speed.records_skipped is 'Number of records that the rule leaves out, or that are unusable.';
comment on column kept.speed.status is 'ok, too_few_records, missing_fact, mixed or failed.';
comment on column kept.speed.reason is 'Why there is no value; names the missing fact.';
comment on column kept.speed.is_window_whole is 'Whether the run has all records that the rule asks for; false of summaries.';

comment on table kept.cell is
    'One row per series, rule and unit: the numbers of speed_table, without what series and case say.';
comment on column kept.cell.series_id is 'Id of the series (table series).';
comment on column kept.cell.rule is 'Id of the rule (table kept.rule).';
comment on column kept.cell.is_default is 'As in speed_table.';
comment on column kept.cell.value is 'As in speed_table.';
comment on column kept.cell.unit is 'As in speed_table.';
comment on column kept.cell.trials is 'As in speed_table.';
comment on column kept.cell.trials_dropped is 'As in speed_table.';
comment on column kept.cell.lowest is 'As in speed_table.';
comment on column kept.cell.highest is 'As in speed_table.';
comment on column kept.cell.stdev is 'As in speed_table.';
comment on column kept.cell.conflicts is 'As in speed_table.';
comment on column kept.cell.status is 'As in speed_table.';
comment on column kept.cell.trial_runs is 'As in speed_table.';
comment on column kept.cell.cell is 'As in speed_table.';

comment on table kept.speedup is
    'One row per cell of speedup_table, but of a speed that is its own base of weak scaling and nothing else: its base and what it comes to.';
comment on column kept.speedup.speed_cell is 'Short name of the speed (column cell of speed_table).';
comment on column kept.speedup.series_id is 'Id of the series (table series).';
comment on column kept.speedup.scaling is 'As in speedup_table.';
comment on column kept.speedup.base_series_id is 'As in speedup_table.';
comment on column kept.speedup.base_gpus is 'As in speedup_table.';
comment on column kept.speedup.base_value is 'As in speedup_table.';
comment on column kept.speedup.speedup is 'As in speedup_table.';
comment on column kept.speedup.efficiency is 'As in speedup_table.';
comment on column kept.speedup.cell is 'As in speedup_table.';

comment on table kept.synced_definitions is
    'One row per state of the definitions, the last alone: what tables kept.rule and published were made of.';
comment on column kept.synced_definitions.files is
    'Hash of the definition files, and of the code that reads them.';

comment on table kept.run_hash is
    'One row per run: a hash of the logs, lines and facts that its kept numbers were made of. Where it differs, they are made again.';
comment on column kept.run_hash.run_id is 'Id of the run (table run).';
comment on column kept.run_hash.print is 'The hash.';

comment on table kept.definition_hash is
    'One row per rule and format: a hash of what it said when the kept numbers were made.';
comment on column kept.definition_hash.kind is 'rule or format.';
comment on column kept.definition_hash.name is 'Id of the rule or the format.';
comment on column kept.definition_hash.print is 'The hash.';

comment on view speed_table is
    'One row per series, rule and unit: the speed over its trials. Filter by is_default for one speed a series. `bench report speed` prints it.';
comment on column speed_table.series_id is
    'Id of the series (table series): a hash of campaign, case and the four facts of the environment.';
comment on column speed_table.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column speed_table.case_id is 'Id of the case (table bench_case).';
comment on column speed_table.name is 'Name of the case: model, processes, batch size, precision, GPUs.';
comment on column speed_table.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column speed_table.implementation is
    'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column speed_table.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column speed_table.task is 'Task, such as pretraining, squad, classification.';
comment on column speed_table.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column speed_table.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column speed_table.global_batch_size is 'Samples per optimizer step over all GPUs and accumulation steps.';
comment on column speed_table.nodes is 'Number of machines.';
comment on column speed_table.gpus is 'Number of GPUs over all nodes.';
comment on column speed_table.seq_len is 'Sequence length in tokens.';
comment on column speed_table.gradient_accumulation is 'Forward passes per optimizer step.';
comment on column speed_table.options is 'JSON of the other settings that make it another case.';
comment on column speed_table.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column speed_table.rule is 'Id of the rule (table kept.rule).';
comment on column speed_table.is_default is
    'Whether it is the speed to show: by the default rule of the logs'' format or, where that gives the series no number, the first fallback that does.';
comment on column speed_table.value is
    'Speed over all GPUs: the rule''s statistic over the trials; NULL if there is no trial.';
comment on column speed_table.unit is
    'Unit: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1. NULL if it is not known.';
comment on column speed_table.trials is 'Number of runs that the value is made of.';
comment on column speed_table.trials_dropped is
    'Number of runs of the series that the value is not made of: failed, or without a value.';
comment on column speed_table.lowest is 'Lowest of the trials.';
comment on column speed_table.highest is 'Highest of the trials.';
comment on column speed_table.stdev is 'Standard deviation over the trials, with n-1; NULL for one trial.';
comment on column speed_table.conflicts is
    'Number of contradicting statements about the runs of the series (table conflict).';
comment on column speed_table.status is 'ok if there is a trial, else the most frequent status of its runs; too_few_trials where the rule makes no number of so few; too_few_runs where a suite demands more runs of a submission.';
comment on column speed_table.gpu_memory_mib is 'Memory of one GPU in MiB.';
comment on column speed_table.framework_version is 'Version of the framework.';
comment on column speed_table.implementation_version is 'Version or commit of the training program.';
comment on column speed_table.mixed is
    'Names of the other environment columns in which the runs of the series differ; NULL if none.';
comment on column speed_table.trial_runs is
    'Ids of the runs that the value is made of, in the order of their trial numbers.';
comment on column speed_table.cell is 'Short name of this number: bench explain CELL says where it comes from.';

comment on table run_memory is
    'One row per run, definition of memory and device: the highest memory seen. The definitions differ by gigabytes and are never mixed.';
comment on column run_memory.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column run_memory.case_id is 'Id of the case (table bench_case).';
comment on column run_memory.definition is
    'What is counted: device (all of the device, by telemetry or at a step of the log), process, reserved or allocated (by the framework).';
comment on column run_memory.device is 'Device, as its log names it, or ''rank N''.';
comment on column run_memory.value_mib is 'Highest memory in MiB.';
comment on column run_memory.records_used is 'Number of records that the value is made of.';

comment on view memory_table is
    'One row per series and definition of memory: the median over its trials of the fullest device. `bench report memory` prints it.';
comment on column memory_table.series_id is
    'Id of the series (table series): a hash of campaign, case and the four facts of the environment.';
comment on column memory_table.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column memory_table.case_id is 'Id of the case (table bench_case).';
comment on column memory_table.name is 'Name of the case: model, processes, batch size, precision, GPUs.';
comment on column memory_table.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column memory_table.implementation is
    'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column memory_table.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column memory_table.task is 'Task, such as pretraining, squad, classification.';
comment on column memory_table.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column memory_table.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column memory_table.global_batch_size is 'Samples per optimizer step over all GPUs and accumulation steps.';
comment on column memory_table.nodes is 'Number of machines.';
comment on column memory_table.gpus is 'Number of GPUs over all nodes.';
comment on column memory_table.seq_len is 'Sequence length in tokens.';
comment on column memory_table.gradient_accumulation is 'Forward passes per optimizer step.';
comment on column memory_table.options is 'JSON of the other settings that make it another case.';
comment on column memory_table.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column memory_table.definition is
    'What is counted: device (all of the device, by telemetry or at a step of the log), process, reserved or allocated (by the framework).';
comment on column memory_table.value_mib is
    'Median over the trials of the highest memory of the fullest device, in MiB; NULL if no run of the series ended well.';
comment on column memory_table.gpu_memory_mib is 'Memory of one GPU in MiB.';
comment on column memory_table.headroom_mib is 'gpu_memory_mib minus value_mib.';
comment on column memory_table.trials is 'Number of runs that the value is made of.';
comment on column memory_table.trials_dropped is
    'Number of runs of the series that the value is not made of: failed, or without a value.';
comment on column memory_table.lowest_mib is 'Lowest of the trials in MiB.';
comment on column memory_table.highest_mib is 'Highest of the trials in MiB.';
comment on column memory_table.status is
    'ok if there is a trial, else the status of its runs, the first by name.';
comment on column memory_table.framework_version is 'Version of the framework.';
comment on column memory_table.implementation_version is 'Version or commit of the training program.';
comment on column memory_table.mixed is
    'Names of the other environment columns in which the runs of the series differ; NULL if none.';
comment on column memory_table.cell is 'Short name of this number: bench explain CELL says where it comes from.';

comment on view speedup_table is
    'One row per series, rule, unit and kind of scaling: the speed over that of the base, the same case on the fewest GPUs. NULL where there is no base, or several are equally near. `bench report speedup` prints it.';
comment on column speedup_table.series_id is
    'Id of the series (table series): a hash of campaign, case and the four facts of the environment.';
comment on column speedup_table.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column speedup_table.case_id is 'Id of the case (table bench_case).';
comment on column speedup_table.name is 'Name of the case: model, processes, batch size, precision, GPUs.';
comment on column speedup_table.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column speedup_table.implementation is
    'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column speedup_table.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column speedup_table.task is 'Task, such as pretraining, squad, classification.';
comment on column speedup_table.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column speedup_table.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column speedup_table.global_batch_size is 'Samples per optimizer step over all GPUs and accumulation steps.';
comment on column speedup_table.nodes is 'Number of machines.';
comment on column speedup_table.gpus is 'Number of GPUs over all nodes.';
comment on column speedup_table.seq_len is 'Sequence length in tokens.';
comment on column speedup_table.gradient_accumulation is 'Forward passes per optimizer step.';
comment on column speedup_table.options is 'JSON of the other settings that make it another case.';
comment on column speedup_table.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column speedup_table.rule is 'Id of the rule (table kept.rule).';
comment on column speedup_table.is_default is 'Whether the rule is the default of the log''s format.';
comment on column speedup_table.value is 'Speed over all GPUs.';
comment on column speedup_table.unit is
    'Unit: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1. NULL if it is not known.';
comment on column speedup_table.trials is 'Number of runs that the value is made of.';
comment on column speedup_table.trials_dropped is
    'Number of runs of the series that the value is not made of: failed, or without a value.';
comment on column speedup_table.lowest is 'Lowest of the trials.';
comment on column speedup_table.highest is 'Highest of the trials.';
comment on column speedup_table.stdev is 'Standard deviation over the trials, with n-1; NULL for one trial.';
comment on column speedup_table.conflicts is
    'Number of contradicting statements about the runs of the series (table conflict).';
comment on column speedup_table.status is 'As in speed_table.';
comment on column speedup_table.scaling is
    'weak: equal batch size per GPU; strong: equal global batch size and another batch size per GPU.';
comment on column speedup_table.base_series_id is 'Series that it is compared with; the base is its own.';
comment on column speedup_table.base_gpus is 'GPUs of the base.';
comment on column speedup_table.base_value is 'Speed of the base.';
comment on column speedup_table.speedup is 'value / base_value.';
comment on column speedup_table.efficiency is 'speedup * base_gpus / gpus: 1 is perfect scaling; not clipped.';
comment on column speedup_table.gpu_memory_mib is 'Memory of one GPU in MiB.';
comment on column speedup_table.framework_version is 'Version of the framework.';
comment on column speedup_table.implementation_version is 'Version or commit of the training program.';
comment on column speedup_table.mixed is
    'Names of the other environment columns in which the runs of the series differ; NULL if none.';
comment on column speedup_table.cell is 'Short name of this number: bench explain CELL says where it comes from.';

comment on view kept.failure_table is
    'One row per campaign and run that ended neither ok nor unknown, with the line that says so.';
comment on column kept.failure_table.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.failure_table.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column kept.failure_table.case_id is 'Id of the case (table bench_case).';
comment on column kept.failure_table.name is 'Name of the case: model, processes, batch size, precision, GPUs.';
comment on column kept.failure_table.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column kept.failure_table.implementation is
    'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column kept.failure_table.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column kept.failure_table.task is 'Task, such as pretraining, squad, classification.';
comment on column kept.failure_table.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column kept.failure_table.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column kept.failure_table.global_batch_size is 'Samples per optimizer step over all GPUs and accumulation steps.';
comment on column kept.failure_table.nodes is 'Number of machines.';
comment on column kept.failure_table.gpus is 'Number of GPUs over all nodes.';
comment on column kept.failure_table.seq_len is 'Sequence length in tokens.';
comment on column kept.failure_table.gradient_accumulation is 'Forward passes per optimizer step.';
comment on column kept.failure_table.options is 'JSON of the other settings that make it another case.';
comment on column kept.failure_table.status is
    'How the run ended: ok, oom, nan, timeout, failed, truncated (stops without its end), too_few_steps, unknown (nothing says).';
comment on column kept.failure_table.reason is 'Why, in words.';
comment on column kept.failure_table.log_id is 'Log that holds the line which decided the status.';
comment on column kept.failure_table.line is 'That line.';
comment on column kept.failure_table.text is 'What it says; else the reason.';
comment on column kept.failure_table.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column kept.failure_table.run_key is
    'Key of the run as it is shown: 12 hex digits of its log''s hash, -, the line of its first record.';
comment on column kept.failure_table.steps_done is 'Steps that it did.';
comment on column kept.failure_table.steps_planned is 'Steps that the run was to do.';
comment on column kept.failure_table.exit_code is 'Exit code of the process, from a manifest.';

comment on view kept.max_batch_table is
    'One row per campaign, GPU model and case without its batch size: the largest batch size that ran and the smallest that ran out of memory.';
comment on column kept.max_batch_table.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column kept.max_batch_table.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB. A case of which nothing ran and whose card is not stated stands with the only card of its campaign, program, model and task.';
comment on column kept.max_batch_table.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column kept.max_batch_table.implementation is
    'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column kept.max_batch_table.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column kept.max_batch_table.task is 'Task, such as pretraining, squad, classification.';
comment on column kept.max_batch_table.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column kept.max_batch_table.nodes is 'Number of machines.';
comment on column kept.max_batch_table.gpus is 'Number of GPUs over all nodes.';
comment on column kept.max_batch_table.seq_len is 'Sequence length in tokens.';
comment on column kept.max_batch_table.gradient_accumulation is 'Forward passes per optimizer step, where all that state it agree. It follows from the batch size, and is no part of what the row is of.';
comment on column kept.max_batch_table.options is 'JSON of the other settings that make it another case.';
comment on column kept.max_batch_table.largest_ok is 'Largest batch size per GPU that ran.';
comment on column kept.max_batch_table.smallest_oom is 'Smallest batch size per GPU that ran out of memory.';
comment on column kept.max_batch_table.runs is 'Number of runs that speak.';
comment on column kept.max_batch_table.sizes_ok is 'Every batch size per GPU that ran, ascending; NULL if none did.';
comment on column kept.max_batch_table.sizes_oom is 'Every batch size per GPU that ran out of memory, ascending; NULL if none did.';

comment on view kept.profile_table is
    'One row per profile log, kernel and value: the mean over its calls. A profile that no run claims has no run_id.';
comment on column kept.profile_table.run_id is
    'Id of the run (table run): a hash, independent of the order of loading. NULL where no run claims the log.';
comment on column kept.profile_table.case_id is 'Id of the case (table bench_case).';
comment on column kept.profile_table.log_id is 'Id of the log (table log).';
comment on column kept.profile_table.label is 'Name of the kernel.';
comment on column kept.profile_table.name is 'Name of the value as the profiler spells it.';
comment on column kept.profile_table.quantity is
    'What is measured: a word of schema/vocabulary/quantities.toml; NULL if no field declares it.';
comment on column kept.profile_table.value is 'Mean over the calls.';
comment on column kept.profile_table.unit is
    'Unit of the value: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1; NULL if unknown.';
comment on column kept.profile_table.records is 'Number of calls.';
comment on column kept.profile_table.total is 'Sum over the calls.';
comment on column kept.profile_table.lowest is 'Lowest of the calls.';
comment on column kept.profile_table.highest is 'Highest of the calls.';

comment on view kept.kernel_table is
    'One row per profile log, device and kernel: calls and time. torch.profiler''s table lists operators beside the kernels that they ran.';
comment on column kept.kernel_table.run_id is
    'Id of the run (table run): a hash, independent of the order of loading. NULL where no run claims the log.';
comment on column kept.kernel_table.case_id is 'Id of the case (table bench_case).';
comment on column kept.kernel_table.log_id is 'Id of the log (table log).';
comment on column kept.kernel_table.device is 'Device, as its log names it; NULL if it does not.';
comment on column kept.kernel_table.label is 'Name of the kernel or operator.';
comment on column kept.kernel_table.calls is 'Number of launches.';
comment on column kept.kernel_table.total_s is 'Seconds of all launches together; overlapping ones count twice.';
comment on column kept.kernel_table.mean_s is 'Seconds of one launch in the mean.';
comment on column kept.kernel_table.share_percent is
    'Share of the time of all kernels of the device; NULL where the profiler states sums only, which may overlap.';

comment on view kept.utilization_table is
    'One row per profile log, device and metric: how busy the device, or one of its pipes, was.';
comment on column kept.utilization_table.run_id is
    'Id of the run (table run): a hash, independent of the order of loading. NULL where no run claims the log.';
comment on column kept.utilization_table.case_id is 'Id of the case (table bench_case).';
comment on column kept.utilization_table.log_id is 'Id of the log (table log).';
comment on column kept.utilization_table.device is 'Device, as its log names it; NULL if it does not.';
comment on column kept.utilization_table.metric is 'compute, or the name of a pipe''s metric as ncu spells it.';
comment on column kept.utilization_table.value is 'Utilization in %; NULL where the metric does not exist on the device.';
comment on column kept.utilization_table.tbd_value is
    'The same as TBD''s own script computes it, which leaves out the launch with the highest ID; NULL for compute.';
comment on column kept.utilization_table.kernels is 'Number of launches that the value is made of.';
comment on column kept.utilization_table.busy_s is 'Seconds with at least one kernel running; NULL for pipes.';
comment on column kept.utilization_table.profiled_s is 'Seconds that were profiled; NULL for pipes.';
comment on column kept.utilization_table.method is 'How the value was computed.';

comment on view kept.profile_case is
    'One row per profile log, run that claims it and campaign in which it lies: what case it profiles, as its run, the log or its places say.';
comment on column kept.profile_case.run_id is
    'Id of the run (table run): a hash, independent of the order of loading. NULL where no run claims the log.';
comment on column kept.profile_case.log_id is 'Id of the log (table log).';
comment on column kept.profile_case.campaign is 'Campaign of a place where the profile lies.';
comment on column kept.profile_case.case_id is 'Id of the case (table bench_case); NULL where no run claims the log.';
comment on column kept.profile_case.name is 'Name of the case; NULL where no run claims the log.';
comment on column kept.profile_case.framework is 'Framework: pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column kept.profile_case.implementation is 'Whose program it is.';
comment on column kept.profile_case.model is 'Model: bert_base, gpt2_345m, ...';
comment on column kept.profile_case.task is 'Task: pretraining, squad, ...';
comment on column kept.profile_case.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column kept.profile_case.batch_size_per_gpu is 'Samples per GPU and step.';
comment on column kept.profile_case.global_batch_size is 'Samples per step over all GPUs.';
comment on column kept.profile_case.nodes is 'Machines.';
comment on column kept.profile_case.gpus is 'GPUs over all nodes.';
comment on column kept.profile_case.seq_len is 'Sequence length.';
comment on column kept.profile_case.gradient_accumulation is 'Passes per step.';
comment on column kept.profile_case.options is 'Options that are part of the case; NULL where no run claims the log.';
comment on column kept.profile_case.gpu_model is 'GPU as NVIDIA names it, without its prefix: V100-SXM2-16GB.';

comment on view leaderboard is
    'One row per series that has a speed by its default rule, ranked among equal model, task, precision, sequence length, GPU model, number of GPUs and unit. All campaigns, a run once. leaderboard_of(glob) ranks some campaigns only.';
comment on column leaderboard.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column leaderboard.task is 'Task, such as pretraining, squad, classification.';
comment on column leaderboard.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column leaderboard.seq_len is 'Sequence length in tokens.';
comment on column leaderboard.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column leaderboard.gpus is 'Number of GPUs over all nodes.';
comment on column leaderboard.unit is
    'Unit: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1. NULL if it is not known.';
comment on column leaderboard.rank is
    'Rank by speed, from 1; NULL where the work is not known to be equal: model, task, precision, GPU model, number of GPUs or unit is unknown, or the sequence length of a model whose family states one.';
comment on column leaderboard.rank_last is 'Last rank of the tie; equal to rank without one.';
comment on column leaderboard.series_id is
    'Id of the series (table series): a hash of campaign, case and the four facts of the environment.';
comment on column leaderboard.campaign is
    'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column leaderboard.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column leaderboard.implementation is
    'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column leaderboard.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column leaderboard.value is 'Speed over all GPUs.';
comment on column leaderboard.rule is 'Id of the rule (table kept.rule).';
comment on column leaderboard.trials is 'Number of runs that the value is made of.';
comment on column leaderboard.trials_dropped is
    'Number of runs of the series that the value is not made of: failed, or without a value.';
comment on column leaderboard.framework_version is 'Version of the framework.';
comment on column leaderboard.implementation_version is 'Version or commit of the training program.';
comment on column leaderboard.cell is
    'Short name of this number, that of speed_table: bench explain CELL says where it comes from.';
comment on column leaderboard.lowest is 'Lowest of the trials.';
comment on column leaderboard.highest is 'Highest of the trials.';

comment on view kept.trial_table is
    'One row per number of speed_table and run of its series: the run''s own speed, whether it counts, and where its log is.';
comment on column kept.trial_table.cell is 'Short name of the number of speed_table that it is a trial of.';
comment on column kept.trial_table.series_id is 'Id of the series (table series).';
comment on column kept.trial_table.campaign is 'Runs made together, for one report: stated, or the folder of the log. Filter with glob.';
comment on column kept.trial_table.name is 'Name of the case: model, processes, batch size, precision, GPUs.';
comment on column kept.trial_table.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column kept.trial_table.implementation is 'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column kept.trial_table.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column kept.trial_table.task is 'Task, such as pretraining, squad, classification.';
comment on column kept.trial_table.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column kept.trial_table.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column kept.trial_table.nodes is 'Number of machines.';
comment on column kept.trial_table.gpus is 'Number of GPUs over all nodes.';
comment on column kept.trial_table.gpu_model is 'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB.';
comment on column kept.trial_table.rule is 'Id of the rule (table kept.rule).';
comment on column kept.trial_table.is_default is 'Whether the number is the series'' by its default rule.';
comment on column kept.trial_table.series_value is 'The number: the speed of the series.';
comment on column kept.trial_table.trial is 'Number of the trial in its series.';
comment on column kept.trial_table.run_id is 'Id of the run (table run).';
comment on column kept.trial_table.run_key is 'Key of the run, which commands show and take.';
comment on column kept.trial_table.value is 'Speed of this run alone; NULL if it has none.';
comment on column kept.trial_table.unit is 'Unit of both.';
comment on column kept.trial_table.counts is 'Whether the number is made of it: a run that failed is not.';
comment on column kept.trial_table.records_used is 'Records that the speed is computed from.';
comment on column kept.trial_table.records_skipped is 'Records of the kind that the rule left out.';
comment on column kept.trial_table.status is 'ok, or why there is no speed, as in run_speed.';
comment on column kept.trial_table.reason is 'The same in words.';
comment on column kept.trial_table.place is 'Where its log lies: the first place, as people are told it.';
comment on column kept.trial_table.first_line is 'First line of the log that is of this run.';
comment on column kept.trial_table.last_line is 'Last line of the log that is of this run.';

comment on view kept.log_name is
    'One row per content and file name under which it was seen: a content with several names is the log of one of them.';
comment on column kept.log_name.log_id is 'Id of the log (table log).';
comment on column kept.log_name.name is 'File name, without folders and without the endings that packing adds.';
comment on column kept.log_name.place is 'First place where it was seen so.';
comment on column kept.log_name.names is 'Number of names of the content.';

comment on view kept.multiplied_speed is
    'One row per pair of speeds that a run prints, both as speeds of all, of which one is the other times its GPUs: it was multiplied again.';
comment on column kept.multiplied_speed.run_id is
    'Id of the run (table run): a hash, independent of the order of loading.';
comment on column kept.multiplied_speed.gpus is 'Number of GPUs over all nodes.';
comment on column kept.multiplied_speed.log_id is 'Id of the log (table log) that prints the higher one.';
comment on column kept.multiplied_speed.name is 'Name of the lower value as the log spells it.';
comment on column kept.multiplied_speed.value is 'Median of the lower value.';
comment on column kept.multiplied_speed.line is 'First line that prints it.';
comment on column kept.multiplied_speed.higher_name is 'Name of the higher value as the log spells it.';
comment on column kept.multiplied_speed.higher_value is 'Median of the higher value.';
comment on column kept.multiplied_speed.higher_line is 'First line that prints it.';

comment on view kept.published_table is
    'One row per published number and series of ours of the same case; one without ours where there is none. A case column that the document does not state is no condition. Filter by own_logs or campaign: the same case may be in several.';
comment on column kept.published_table.source is 'Document that states it (table published).';
comment on column kept.published_table.revision is 'Commit of the document; NULL if it is not known.';
comment on column kept.published_table.section is 'Where in the document the table stands.';
comment on column kept.published_table.cell is 'Row and column in that table, as what they say of the case.';
comment on column kept.published_table.quantity is 'speed or speedup.';
comment on column kept.published_table.framework is 'pytorch, paddlepaddle, tensorflow, mxnet, oneflow. This and the columns to gradient_accumulation are the documents; NULL: not stated.';
comment on column kept.published_table.implementation is 'Whose program it is, such as ngc, megatron, tbd. Two programs of one framework are two cases.';
comment on column kept.published_table.model is 'Model, such as bert_base, bert_large, resnet50.';
comment on column kept.published_table.task is 'Task, such as pretraining, squad, classification.';
comment on column kept.published_table.precision is 'Type of the matrix products: fp32, tf32, fp16, bf16, fp8.';
comment on column kept.published_table.batch_size_per_gpu is 'Samples per GPU in one forward pass.';
comment on column kept.published_table.nodes is 'Number of machines.';
comment on column kept.published_table.gpus is 'Number of GPUs over all nodes.';
comment on column kept.published_table.seq_len is 'Sequence length in tokens.';
comment on column kept.published_table.gradient_accumulation is 'Passes per optimizer step.';
comment on column kept.published_table.gpu_model is 'GPU model that the document states. It is no condition: compare it with our_gpu_model.';
comment on column kept.published_table.printed is 'Number as printed, digit by digit.';
comment on column kept.published_table.value is 'The same as a number.';
comment on column kept.published_table.unit is 'Unit of both numbers; 1 for a speed-up.';
comment on column kept.published_table.campaign is 'Campaign of ours; NULL for runs that are in none, and where there is nothing of ours.';
comment on column kept.published_table.own_logs is 'Whether that campaign holds the documents own logs.';
comment on column kept.published_table.series_id is 'Id of our series (table series).';
comment on column kept.published_table.our_gpu_model is 'GPU model of our series, or where its logs do not say it their GPU family, such as V100; NULL if they say neither.';
comment on column kept.published_table.our_value is 'Our number, unrounded but by its rule.';
comment on column kept.published_table.rule is 'Rule that our number is by.';
comment on column kept.published_table.rule_is is 'claimed: the rule that the document claims; default: our own, since it claims none or its rule gives no number.';
comment on column kept.published_table.trials is 'Number of runs that our number is made of.';
comment on column kept.published_table.conflicts is 'Contradictions of these runs (table conflict).';
comment on column kept.published_table.difference is 'Ours less theirs.';
comment on column kept.published_table.ratio is 'Ours over theirs.';
comment on column kept.published_table.equal is 'How near: rounded (equal at the printed digits), truncated (equal where digits were cut off), within 0.5 %, other card (both are known, ours at least by its family, and differ), other, or nothing of ours.';
comment on column kept.published_table.note is 'What is known to be wrong with the published number; NULL for nothing.';
comment on column kept.published_table.url is 'Address of the document.';
comment on column kept.published_table.our_cell is 'Short name of our number: bench explain CELL says where it comes from.';

comment on macro rounded is
    'rounded(value, method, digits): the roundings of table kept.rule; no method leaves the value as it is.';
comment on macro place_of is
    'place_of(path, archive, member) of a sighting: where the file lies, as in years.zip!/2026.tar.gz!/h200/a.log.';
comment on macro nearly is
    'nearly(value, other): whether two numbers may be one that was printed with four digits.';
comment on macro in_campaign is
    'in_campaign(campaign, glob): whether the whole name of a campaign matches, or what stands behind the name of its root.';
comment on macro cell_key is
    'cell_key(letter, parts): short name of a number; letter s for speed_table, m for memory_table, u for speedup_table.';
comment on macro weighted_mean is
    'The mean of a list of {value, weight}, each value by its weight; what is no finite number is left out.';
comment on macro per_second is
    'Steps or samples a second, from a printed speed or from the time that so many steps took.';
comment on macro olympic_mean is
    'olympic_mean(numbers, fewest, without): the mean without the fewest lowest and highest; the without that gave no number are some of the highest, and more of them than that make it NULL.';
comment on macro speedup_key is
    'speedup_key(cell, scaling): short name of a speed-up, from that of its speed; of weak scaling it has the same digits.';
comment on macro faster is
    'How many times as fast as a base: value over base, or base over value where both are seconds or minutes.';
comment on macro table place_of_log is
    'place_of_log(path_glob): one place of each log, NULL where the glob matches none, and how many sightings it has.';
comment on macro table leaderboard_of is
    'leaderboard_of(campaign_glob): the leaderboard of the campaigns that match.';
