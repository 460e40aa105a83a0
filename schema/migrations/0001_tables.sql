-- Made by benchledger/store/migrations.py.
comment on table kept.schema_version is
    'One row per migration that this database has had; the highest version is the one of its tables and views.';
comment on column kept.schema_version.version is 'Number of the migration.';
comment on column kept.schema_version.applied_at is 'When it was applied, UTC.';
comment on column kept.schema_version.benchledger_version is 'Version of the program that applied it.';
comment on column kept.schema_version.digest is
    'Hash of the migration''s file: a ledger made by an edited one is refused.';

-- Tables hold facts as logged. Ids are hashes of content, so that they do not depend on the order of ingestion.

create table log (
    log_id           bigint primary key,
    content_hash     varchar not null unique,
    bytes            bigint not null check (bytes >= 0),
    lines            bigint not null check (lines >= 0),
    format           varchar,
    format_version   integer,
    definitions_hash varchar not null,
    pieces           bigint not null check (pieces = records + ignored + rejects + unread),
    records          bigint not null check (records >= 0),
    ignored          bigint not null check (ignored >= 0),
    rejects          bigint not null check (rejects >= 0),
    unread           bigint not null default 0 check (unread >= 0),
    notes            bigint not null check (notes >= 0),
    evidence         varchar,
    load_number      integer not null
);
comment on table log is
    'One row per content that was read as a log: the same bytes under ten paths are one row. Filled by ingest. See '
    'sighting for the places, measurement for the values.';
comment on column log.content_hash is
    'Hash of the decompressed bytes; of a tracker''s file whose path says what it holds, of this part of the path too.';
comment on column log.bytes is 'Size in bytes, decompressed.';
comment on column log.lines is 'Number of lines.';
comment on column log.format is 'Name of the format that it was read as; NULL if none fits.';
comment on column log.format_version is 'Version of the format.';
comment on column log.pieces is 'Pieces cut from its lines: records + ignored + rejects + unread.';
comment on column log.records is 'Pieces that are records.';
comment on column log.ignored is 'Pieces that the format ignores for a stated reason (table kept.ignored_piece).';
comment on column log.rejects is 'Pieces that should have been records and are not (table reject).';
comment on column log.unread is
    'Lines with a measurement that no template of the format matches (table kept.unread).';
comment on column log.notes is 'Records that have text left behind their values.';
comment on column log.evidence is
    'What the format was recognised by; for an unknown log the nearest format and what it misses.';
comment on column log.load_number is
    'Number of the load that wrote it, counted up as they come: its records lie where record.load_number is this.';

-- What was named to be read: a folder, or an archive.
create table kept.root (
    root_id varchar primary key,
    name    varchar not null
);
comment on table kept.root is 'One row per root: a folder or an archive that was named to be read. Filled by ingest.';
comment on column kept.root.root_id is 'A keyed hash of its real path: where it lies.';
comment on column kept.root.name is 'The last part of its path, an archive''s without its suffix, redacted.';

create table sighting (
    sighting_id      bigint not null,
    log_id           bigint,
    path             varchar not null,
    archive          varchar,
    member           varchar,
    campaign         varchar,
    campaign_source  varchar check (campaign_source in ('option', 'facts.toml', 'name', 'folder')),
    root_id          varchar,
    campaign_path    varchar,
    folder_path      varchar,
    place            varchar,
    folder           varchar not null,
    folders          varchar[],
    words            varchar[],
    job              varchar,
    job_rank         bigint,
    stem             varchar not null,
    name_rule        varchar,
    modified_at      timestamp,
    ingested_at      timestamp not null,
    definitions_hash varchar not null,
    status           varchar not null check (status in
        ('loaded', 'duplicate', 'superseded', 'document', 'facts', 'empty', 'unrecognised', 'unreadable')),
    reason           varchar
);
comment on table sighting is 'One row per place where a file was seen, by path, archive and member. Filled by ingest.';
comment on column sighting.log_id is 'Id of the content (table log); NULL for a file that was not read as a log.';
comment on column sighting.path is 'Path below its root, or below the innermost archive, redacted.';
comment on column sighting.archive is
    'Archive on the disk that holds it, or the compressed file, below its root, or the root''s own name; NULL for a'
    ' plain file.';
comment on column sighting.member is
    'The names that lead to it through that archive, with !/ after each archive; NULL for a file, and for what a '
    'lone compressed file holds.';
comment on column sighting.campaign is
    'Campaign that this place puts its runs in; NULL for a file that is empty or no log, unless somebody states one.';
comment on column sighting.campaign_source is
    'What says so: the option --campaign-name, a facts.toml, the folder left of what a name rule matched (name), or'
    ' the log''s own folder.';
comment on column sighting.root_id is
    'The root (table kept.root) that it lies below: the outermost that is known. NULL for a file that is empty or '
    'no log.';
comment on column sighting.campaign_path is
    'Folders below the root that name the campaign, empty for the root itself; NULL where the campaign is stated.';
comment on column sighting.folder_path is
    'Folders that lead to it, its root the first, an archive taken for a folder of its stem; NULL for a file that is '
    'empty or no log.';
comment on column sighting.place is 'A keyed hash of the real path: which file it is. A manifest lists files by it.';
comment on column sighting.job is
    'A keyed hash of the real path without its rank: equal for all ranks of one job. NULL if the path states no rank.';
comment on column sighting.job_rank is
    'Rank of the process that wrote the file, as the path states it (rank_3, workerlog.3); NULL if it states none.';
comment on column sighting.words is
    'Words of the file''s name and of the folders that are no part of the campaign, without numbers, times and '
    'what names nothing.';
comment on column sighting.folders is
    'The folder and those above it, the nearest first, as keyed hashes: a sidecar holds for what is below it.';
comment on column sighting.folder is 'A keyed hash of the real folder: logs of one folder may be of one run.';
comment on column sighting.stem is 'File name without its endings: logs of one folder and stem are of one run.';
comment on column sighting.name_rule is
    'Rule of ingest/names/ that matched the path; NULL for a file that is empty or no log.';
comment on column sighting.modified_at is
    'Modification time of the file, or of the member of an archive, as it tells it; NULL if it tells none.';
comment on column sighting.ingested_at is 'Time at which it was first ingested.';
comment on column sighting.status is
    'What became of the file: loaded, duplicate, superseded, document (it quotes log lines; no run comes of it), facts,'
    ' empty, unrecognised or unreadable.';
comment on column sighting.reason is 'Why it was not loaded, or what it repeats.';

create table kept.sighting_fact (
    sighting_id  bigint not null,
    name         varchar not null,
    value        varchar,
    value_logged varchar,
    source       varchar not null check (source in ('correct', 'manifest', 'facts.toml', 'name')),
    place        varchar
);
comment on table kept.sighting_fact is
    'One row per statement that a place makes about its runs: facts.toml, or its name. Filled by ingest; fact holds'
    ' what each run made of them.';
comment on column kept.sighting_fact.name is 'What is stated: a column of bench_case or environment, or trial.';
comment on column kept.sighting_fact.source is 'correct, facts.toml or name.';

-- The files that a manifest lists, by the place where they should lie.
create table kept.sighting_file (
    sighting_id bigint not null,
    file        varchar not null,
    place       varchar not null
);
comment on table kept.sighting_file is
    'One row per file that a manifest lists, at one place where that manifest was seen.';
comment on column kept.sighting_file.sighting_id is 'Id of the manifest''s sighting (table sighting).';
comment on column kept.sighting_file.file is 'The file as the manifest lists it, relative to its folder.';
comment on column kept.sighting_file.place is 'Where that is: a keyed hash of the real path, as in sighting.place.';

-- What one ignore entry of a format took, per log: the reasons behind log.ignored.
create table kept.ignored_piece (
    log_id bigint not null,
    reason varchar not null,
    pieces bigint not null check (pieces > 0)
);
comment on table kept.ignored_piece is
    'One row per log and reason: how many pieces of the log its format ignores for that reason. They sum up to '
    'log.ignored.';
comment on column kept.ignored_piece.reason is 'Reason that the format gives.';
comment on column kept.ignored_piece.pieces is 'Number of pieces.';

-- Lines that hold a measurement and that the format does not know, per log and layout: what is behind log.unread.
-- Without a key: a line can hold several pieces, which differ in their layout.
create table kept.unread (
    log_id bigint not null,
    line   bigint not null check (line >= 1),
    lines  bigint not null check (lines > 0),
    text   varchar not null
);
comment on table kept.unread is
    'One row per log and line layout: lines with a word of measurement beside a number (schema/vocabulary/measures.toml) '
    'that are no record and that no ignore takes. They sum up to log.unread.';
comment on column kept.unread.line is 'Number of the first line of this layout.';
comment on column kept.unread.lines is 'Number of lines that differ from it only in numbers.';
comment on column kept.unread.text is 'The first line, at most 400 bytes, redacted.';

create table reject (
    log_id      bigint not null,
    line        bigint not null check (line >= 1),
    byte_offset bigint not null check (byte_offset >= 0),
    record      varchar,
    reason      varchar not null,
    text        varchar not null
);
comment on table reject is
    'One row per piece of a log that should have been a record and is not. Nothing is lost: the text is kept, as it'
    ' is.';
comment on column reject.record is 'Record that it should have been; NULL if that is not known.';
comment on column reject.reason is 'Why it is none: no head, no template, bad json, too long.';
comment on column reject.text is 'The piece, at most 1,000 characters, redacted.';

-- One row per value of a line layout; a record points at its layout.
create table kept.shape (
    shape_id    bigint not null,
    ordinal     integer not null check (ordinal >= 1),
    format      varchar not null,
    record      varchar not null,
    kind        varchar not null check (kind in ('step', 'summary', 'parameter', 'event', 'sample', 'kernel')),
    phase       varchar,
    name        varchar not null,
    quantity    varchar,
    unit        varchar,
    unit_logged varchar,
    scope       varchar check (scope in ('global', 'gpu', 'node')),
    primary key (shape_id, ordinal)
);
comment on table kept.shape is
    'One row per value of a line layout: what the k-th value of a record of this layout is. Written once per '
    'layout; join measurement rather than this.';
comment on column kept.shape.format is 'Format that defines the record.';
comment on column kept.shape.record is 'Name of the record in its format.';
comment on column kept.shape.phase is 'train unless the format says validation or inference; NULL for telemetry.';
comment on column kept.shape.name is 'Name of the value as the log spells it.';

-- One row per line piece that is a record. No keys: they would cost four to seven times the load;
-- the loader verifies them by query in the same transaction. load_number is its log's: records of one load lie together, and
-- those of all others are left out by it where the log is known. Ids are hashes, by which nothing is left out.
create table kept.record (
    log_id      bigint not null,
    line        bigint not null,
    byte_offset bigint not null,
    shape_id    bigint not null,
    step        bigint,
    epoch       bigint,
    rank        integer,
    device      varchar,
    label       varchar,
    logged_at   timestamp,
    clock_s     double,
    "values"    double[],
    texts       varchar[],
    lead        varchar,
    note        varchar,
    load_number integer not null
);
comment on table kept.record is
    'One row per piece of a log that is a record, with all its values in a list. measurement shows one row per '
    'value, with names and units: ask that.';
comment on column kept.record."values" is
    'Values in the order of shape.ordinal, scaled to the shape''s unit; NULL where the value is text or absent.';
comment on column kept.record.texts is
    'Values that are no number, in the order of shape.ordinal; NULL if all are numbers.';
comment on column kept.record.load_number is
    'The load_number of its log: a filter on it beside log_id reads those records only that one load wrote.';

-- What one execution left in one log: a log can hold several.
create table kept.segment (
    log_id            bigint not null,
    segment           integer not null check (segment >= 1),
    role              varchar not null check (role in
        ('train', 'duplicate_stream', 'telemetry', 'profile', 'tracker', 'manifest', 'sidecar')),
    first_line        bigint not null,
    last_line         bigint not null,
    first_record_line bigint not null,
    last_record_line  bigint not null,
    started_at        timestamp,
    ended_at          timestamp,
    records           bigint not null,
    step_records      bigint not null,
    steps_done        bigint,
    step_gap          bigint,
    restart_line      bigint,
    rival_lines       bigint[],
    last_step_line    bigint,
    first_epoch       bigint,
    last_epoch        bigint,
    epoch_step        bigint,
    closing_line      bigint,
    closing_speed     double,
    expects_closing   boolean not null,
    final_loss_nan    boolean not null,
    event_status      varchar,
    event_line        bigint,
    event_text        varchar,
    stream            bigint[],
    losses            double[],
    beginning         double,
    devices           varchar[]
);
comment on table kept.segment is
    'One row per execution that left its lines in a log: a log can hold several. Filled by ingest, input of run.';
comment on column kept.segment.role is 'What this log is: train, duplicate_stream, telemetry, profile, tracker, manifest or sidecar.';
comment on column kept.segment.first_record_line is 'Line of its first record.';
comment on column kept.segment.last_record_line is 'Line of its last record.';
comment on column kept.segment.ended_at is 'Time of its last dated record; other lines may go on long after it.';
comment on column kept.segment.records is 'Number of records.';
comment on column kept.segment.step_records is 'Number of records of kind step.';
comment on column kept.segment.steps_done is 'Highest step that it states; NULL where its steps begin anew in each epoch.';
comment on column kept.segment.step_gap is 'Usual distance between the steps that it prints.';
comment on column kept.segment.restart_line is
    'First line on which its steps begin again, so a second run may start there; NULL if they do not.';
comment on column kept.segment.rival_lines is
    'First two lines that state different speeds for the same steps or the same end of a run; NULL if there are none.';
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
comment on column kept.segment.event_text is
    'Text of that event, its first 200 characters; the whole of it is in measurement.';
comment on column kept.segment.stream is
    'Times of its first records, in microseconds since 1970, by which a duplicate stream is recognised.';
comment on column kept.segment.losses is
    'Its first losses, in order, by which a duplicate stream is recognised where a log has no times.';
comment on column kept.segment.beginning is
    'One number for its first values: its fourth time in microseconds since 1970, else a sum over its first eight '
    'speeds or durations; NULL without these. Segments with the same number are compared: one may be a copy of the '
    'other.';
comment on column kept.segment.devices is 'Devices of the log that belong to it; NULL for all.';

create table kept.log_fact (
    log_id       bigint not null,
    segment      integer not null,
    name         varchar not null,
    value        varchar,
    value_logged varchar,
    line         bigint,
    trust        integer not null,
    strength     varchar not null default 'stated' check (strength in ('stated', 'counted', 'usual', 'quoted', 'related'))
);
comment on table kept.log_fact is
    'One row per statement that a segment of a log makes about its run, before it is compared with other sources. '
    'fact holds the outcome.';
comment on column kept.log_fact.name is 'What is stated: a column of bench_case or environment, or steps_planned.';
comment on column kept.log_fact.line is 'Line of the log that states it.';
comment on column kept.log_fact.trust is 'Which statement of one log counts: the lowest.';

create table bench_case (
    case_id               bigint primary key,
    name                  varchar not null,
    framework             varchar,
    implementation        varchar,
    model                 varchar,
    task                  varchar,
    precision             varchar,
    batch_size_per_gpu    bigint check (batch_size_per_gpu > 0),
    global_batch_size     bigint check (global_batch_size > 0),
    nodes                 bigint check (nodes > 0),
    gpus                  bigint check (gpus > 0),
    seq_len               bigint check (seq_len > 0),
    gradient_accumulation bigint check (gradient_accumulation > 0),
    options               json
);
comment on table bench_case is
    'One row per case: what was run. NULL is what no log, manifest, facts.toml or name states.';

create table environment (
    environment_id         bigint primary key,
    system                 varchar,
    gpu_model              varchar,
    gpu_family             varchar,
    gpus_per_node          bigint check (gpus_per_node > 0),
    gpu_memory_mib         bigint check (gpu_memory_mib > 0),
    driver_version         varchar,
    cuda_version           varchar,
    cudnn_version          varchar,
    nccl_version           varchar,
    mpi_version            varchar,
    framework_version      varchar,
    implementation_version varchar,
    image                  varchar,
    interconnect           varchar,
    topology               varchar,
    cpu_model              varchar,
    cpu_count              bigint check (cpu_count > 0),
    memory_mib             bigint check (memory_mib > 0),
    os                     varchar,
    python_version         varchar,
    libraries              varchar
);
comment on table environment is 'One row per environment: where it was run. NULL is what nothing states.';
comment on column environment.gpu_family is 'GPU family, such as V100.';
comment on column environment.gpus_per_node is 'GPUs of one machine.';
comment on column environment.driver_version is 'Version of the NVIDIA driver.';
comment on column environment.cuda_version is 'Version of CUDA.';
comment on column environment.cudnn_version is 'Version of cuDNN.';
comment on column environment.nccl_version is 'Version of NCCL.';
comment on column environment.mpi_version is 'Version of MPI.';
comment on column environment.image is 'Container image.';
comment on column environment.interconnect is 'Network between the machines.';
comment on column environment.topology is 'Links between the GPUs of a machine.';
comment on column environment.cpu_model is 'Processor.';
comment on column environment.cpu_count is 'Number of processor cores.';
comment on column environment.memory_mib is 'Main memory of a machine in MiB.';
comment on column environment.os is 'Operating system.';
comment on column environment.python_version is 'Version of Python.';
comment on column environment.libraries is 'Other libraries with their versions.';

create table run (
    run_id         bigint not null,
    run_key        varchar not null,
    case_id        bigint not null,
    environment_id bigint not null,
    trial          bigint,
    started_at     timestamp,
    ended_at       timestamp,
    time_source    varchar,
    status         varchar not null check (status in
        ('ok', 'oom', 'nan', 'timeout', 'failed', 'truncated', 'too_few_steps', 'ambiguous', 'unknown')),
    reason         varchar,
    status_log_id  bigint,
    status_line    bigint,
    steps_planned  bigint,
    steps_done     bigint,
    epochs_planned bigint,
    epochs_done    bigint,
    exit_code      bigint
);
comment on table run is
    'One row per execution of a case. Start here: join bench_case by case_id, environment by environment_id, '
    'run_log for its logs, fact for the source of each statement.';
comment on column run.trial is 'Repetition number that is stated; NULL if none is.';
comment on column run.started_at is
    'Start: time of the first dated record of its log, else the start that its manifest states; NULL if nothing '
    'states it.';
comment on column run.ended_at is
    'Time of the last dated record of its log (other lines may go on long after it), else the end that its manifest'
    ' states. Equal to started_at where only one record is dated: such a run has no duration.';
comment on column run.time_source is
    'Where the times come from: log or manifest; view kept.run_time falls back on files.';
comment on column run.reason is 'Evidence for the status, in words.';
comment on column run.status_log_id is 'Log that holds the line which decided the status.';
comment on column run.status_line is 'Line that decided the status.';
comment on column run.steps_done is
    'Highest step that its log states. Where steps begin anew in each epoch: NULL unless epochs and steps of an epoch '
    'are known.';
comment on column run.epochs_planned is 'Epochs that the run was to have, where its log states them.';
comment on column run.epochs_done is
    'Whole epochs that its log has. NULL unless it is known which number the first epoch has, and whether the last '
    'one is whole.';

create table kept.run_alias (
    old_key varchar primary key,
    run_key varchar not null
);
comment on table kept.run_alias is 'One row per key that a run once had: keys that were shown stay valid.';
comment on column kept.run_alias.old_key is 'Key that the run once had.';
comment on column kept.run_alias.run_key is 'Key that the run has now.';

create table run_log (
    run_id      bigint not null,
    log_id      bigint not null,
    sighting_id bigint,
    role        varchar not null check (role in
        ('train', 'duplicate_stream', 'copy', 'rank', 'telemetry', 'profile', 'tracker', 'manifest', 'sidecar')),
    segment     integer not null,
    first_line  bigint not null,
    last_line   bigint not null,
    devices     varchar[],
    paired_by   varchar not null
);
comment on table run_log is 'One row per run and part of a log that belongs to it.';
comment on column run_log.sighting_id is 'Place of the log through which it was paired.';
comment on column run_log.devices is 'Devices of a telemetry log that belong to the run; NULL for all.';
comment on column run_log.paired_by is 'What decided that the log belongs to the run.';

-- Records of a duplicate stream that its train log does not have: they stay in measurement.
create table kept.stream_only (
    log_id      bigint not null,
    byte_offset bigint not null
);
comment on table kept.stream_only is
    'One row per record of a duplicate stream (a JSON twin) that the train log of its run lacks; these stay in view'
    ' measurement.';

create table fact (
    run_id       bigint not null,
    name         varchar not null,
    value        varchar,
    value_logged varchar,
    source       varchar not null check (source in
        ('correct', 'log', 'manifest', 'sidecar', 'facts.toml', 'name', 'derived')),
    log_id       bigint,
    line         bigint,
    sighting_id  bigint,
    place        varchar,
    strength     varchar not null default 'stated' check (strength in ('stated', 'counted', 'usual', 'quoted', 'related')),
    used         boolean not null
);
comment on table fact is
    'One row per statement about a run, with its source. Of contradicting ones all are kept; used marks the one '
    'that counts.';
comment on column fact.name is 'What is stated: a column of bench_case, environment or run.';
comment on column fact.source is
    'Order of trust: correct, log, manifest, sidecar, facts.toml, name; derived is computed from others.';
comment on column fact.log_id is 'Log that states it.';
comment on column fact.line is 'Line that states it.';
comment on column fact.sighting_id is 'Place that states it.';
comment on column fact.used is 'Whether this statement counts: at most one per run and name.';

create table kept.exclusion (
    run_key     varchar not null,
    reason      varchar not null,
    excluded_at timestamp not null,
    excluded_by varchar
);
comment on table kept.exclusion is
    'One row per run that a person left out of every table, with the reason (bench exclude). It stays when the '
    'run''s log is removed.';
comment on column kept.exclusion.run_key is 'Key of the run, also an old one.';
comment on column kept.exclusion.reason is 'Why.';
comment on column kept.exclusion.excluded_at is 'When.';
comment on column kept.exclusion.excluded_by is 'By whom.';

create table kept.accepted_change (
    run_key     varchar not null,
    quantity    varchar,
    reason      varchar not null,
    accepted_at timestamp not null,
    accepted_by varchar
);
comment on table kept.accepted_change is
    'One row per change of speed, memory, ... over time that a person accepted, with the reason (bench history '
    '--accept). It stays when the run''s log is removed.';
comment on column kept.accepted_change.run_key is 'Key of a run right after the change, also an old one.';
comment on column kept.accepted_change.quantity is 'Quantity whose change is accepted; NULL: any.';
comment on column kept.accepted_change.reason is 'Why.';
comment on column kept.accepted_change.accepted_at is 'When.';
comment on column kept.accepted_change.accepted_by is 'By whom.';

-- Definitions as they were when they were last used, so that the views need nothing but this file.
create table kept.format (
    format         varchar primary key,
    version        integer not null,
    framework      varchar,
    implementation varchar,
    default_rule   varchar,
    role           varchar not null,
    has_planned_speed boolean not null default false,
    steps_are_passes  boolean not null default false
);
comment on table kept.format is 'One row per log format whose definition was last used. Filled from ingest/formats/.';
comment on column kept.format.format is 'Name of the log format.';
comment on column kept.format.version is 'Version of the definition.';
comment on column kept.format.framework is 'Framework of the program, where the format says it.';
comment on column kept.format.implementation is 'Program, where the format says it.';
comment on column kept.format.default_rule is 'Rule that is_default marks for its logs.';
comment on column kept.format.role is 'What a log of this format is to a run.';
comment on column kept.format.has_planned_speed is
    'Whether its closing throughput counts all planned steps, also those before a resumed start.';
comment on column kept.format.steps_are_passes is
    'Whether each step of its logs is one forward and backward pass, even if an optimizer step accumulates several.';

-- What suites demand of a score: filled from queries/submissions/, as table kept.rule is from queries/rules/.
create table kept.demanded_runs (
    rule      varchar not null,
    benchmark varchar not null,
    runs      bigint not null check (runs > 0)
);
comment on table kept.demanded_runs is
    'One row per score and benchmark: how many runs a submission needs. Filled by ingest from queries/submissions/.';
comment on column kept.demanded_runs.rule is 'Id of the rule that scores a submission (table kept.rule).';
comment on column kept.demanded_runs.benchmark is 'What the suite calls the benchmark (fact benchmark of a run).';
comment on column kept.demanded_runs.runs is 'Fewest runs that have a score.';

-- The names that the vocabulary knows, of facts that may have any: what it lists, and globs of what follows its grammar.
create table kept.known_word (
    name varchar not null,
    word varchar not null
);
comment on table kept.known_word is
    'One row per fact that may have any value and value, or glob of values, that the vocabulary knows. Filled from '
    'schema/vocabulary/.';
comment on column kept.known_word.name is 'Fact: framework, model, gpu_model.';
comment on column kept.known_word.word is 'The values, in lower case: one, or a glob.';

create table kept.setting_word (
    word    varchar primary key,
    is_case boolean not null
);
comment on table kept.setting_word is
    'One row per name of a setting that makes another case, and per word of names of settings that change from trial '
    'to trial. Filled by ingest from schema/vocabulary/settings.toml.';
comment on column kept.setting_word.word is
    'Name of a setting, or word of such names, in lower case with _ between words.';
comment on column kept.setting_word.is_case is 'Whether a difference in it makes another case.';

create table kept.rule (
    rule                   varchar primary key,
    source                 varchar not null,
    "window"               varchar not null,
    statistic              varchar not null check (statistic in ('last', 'mean', 'median', 'trimmed')),
    ranks                  varchar not null check (ranks in ('all', 'first', 'median', 'each', 'mean')),
    rounding               varchar check (rounding in ('round_even', 'round_exact', 'truncate', 'round2_truncate', 'significant')),
    trial_statistic        varchar not null check (trial_statistic in ('mean', 'median', 'olympic')),
    description            varchar not null,
    formats                varchar[],
    kind                   varchar not null check (kind in ('step', 'summary')),
    name                   varchar,
    skip                   bigint not null check (skip >= 0),
    take                   bigint check (take > 0),
    positive_only          boolean not null,
    rounding_digits        integer,
    trial_rounding         varchar check (trial_rounding in ('round_even', 'round_exact', 'truncate', 'round2_truncate', 'significant')),
    trial_rounding_digits  integer,
    quantity               varchar check (quantity in ('throughput', 'step_time', 'interval', 'round', 'epoch_time', 'span')),
    unit                   varchar check (unit in ('samples/s', 'tokens/s', 'items/s', 'steps/s', 's', 'min', 'TFLOP/s')),
    average_of             varchar not null default 'rates' check (average_of in ('rates', 'times')),
    batch                  varchar not null default 'global' check (batch in ('global', 'pass')),
    after_step             bigint,
    to_step                bigint,
    complete               boolean not null default false,
    reading_rounding       varchar check (reading_rounding in ('round_even', 'round_exact', 'truncate', 'round2_truncate', 'significant')),
    reading_rounding_digits integer,
    zero_fails             boolean not null default false,
    fallback               varchar,
    speedup_rounding       varchar check (speedup_rounding in ('round_even', 'round_exact', 'truncate', 'round2_truncate', 'significant')),
    speedup_rounding_digits integer,
    trial_count_offset     double check (trial_count_offset > 0),
    trial_drop             bigint check (trial_drop > 0),
    trial_factor           varchar,
    skip_last              bigint not null default 0 check (skip_last >= 0),
    trim                   bigint check (trim > 0),
    trim_from              bigint check (trim_from > 0),
    volume                 varchar not null default 'step' check (volume in ('step', 'window')),
    per                    varchar check (per = 'gpu')
);
comment on table kept.rule is
    'One row per rule: a named, sourced way to turn records into a speed of a run, and speeds of runs into a number'
    ' of a series. Filled from queries/rules/.';
comment on column kept.rule.source is 'Document and section, or script and lines, that define it.';
comment on column kept.rule."window" is 'Which records are used, in words.';
comment on column kept.rule.statistic is
    'What is made of the records of a run: last, mean, median, or trimmed (the mean without the extremes).';
comment on column kept.rule.ranks is
    'all: records of all ranks as they come; first: of the lowest rank only; median: of each step the median over '
    'its ranks; each: the window counts the records of each rank apart; mean: so, and the mean over the ranks of '
    'the mean of each.';
comment on column kept.rule.rounding is
    'Rounding of a run''s speed: round_even (as numpy), round_exact (as %.2f), truncate, significant (as %.5g), '
    'round2_truncate (as int(round(x, 2))); NULL for none.';
comment on column kept.rule.trial_statistic is
    'What is made of the trials of a series: mean, median, or olympic: the mean without the trial_drop lowest and '
    'highest.';
comment on column kept.rule.description is 'The rule in one sentence.';
comment on column kept.rule.formats is 'Formats that it applies to; NULL for all.';
comment on column kept.rule.kind is 'Records that it reads: step or summary.';
comment on column kept.rule.name is 'Name of the value that it reads; NULL for any throughput.';
comment on column kept.rule.skip is 'Records left out at the start.';
comment on column kept.rule.skip_last is 'Records left out at the end.';
comment on column kept.rule.trim is 'Of a trimmed mean: how many of the lowest and of the highest are left out.';
comment on column kept.rule.trim_from is 'Of a trimmed mean: of fewer records none is left out.';
comment on column kept.rule.volume is
    'What is set against the time of a step: step, its own samples; window, those of all steps of the window, as an'
    ' owner codes it.';
comment on column kept.rule.per is
    'gpu: its number is that of one GPU, as its owner publishes it, and a speed-up is of both numbers times their '
    'GPUs; NULL: that of all.';
comment on column kept.rule.take is 'Records used after that; NULL for all.';
comment on column kept.rule.positive_only is 'Whether values of 0 and below are left out.';
comment on column kept.rule.rounding_digits is 'Digits of the rounding of a run''s speed.';
comment on column kept.rule.trial_rounding is 'Rounding of a series'' speed, as in rounding.';
comment on column kept.rule.trial_rounding_digits is 'Digits of the rounding of a series'' speed.';
comment on column kept.rule.quantity is
    'What it reads: throughput, step_time, epoch_time (all as printed), interval (time between two step records of '
    'a rank), round (time between two rounds of all ranks) or span (time from the first record of one label to the '
    'last of another, as name says); NULL for the first of throughput, step_time and interval that a run has.';
comment on column kept.rule.unit is
    'Unit of its values: samples/s, tokens/s, items/s, steps/s, s and min (a step, or a span), TFLOP/s; NULL for '
    'the one that is printed, samples/s where times are.';
comment on column kept.rule.average_of is
    'rates: the statistic is taken of speeds; times: of times, so that a mean is volume over time.';
comment on column kept.rule.batch is
    'Samples of a step: global, the global batch; pass, the batch of a GPU times the GPUs, for programs that call '
    'each pass a step, however many of them change the weights once.';
comment on column kept.rule.after_step is
    'Only steps after this number; an interval lies wholly after it. NULL for no bound.';
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
    'Of an olympic mean: how many of the lowest and of the highest trials it leaves out; each run without a number '
    'is one of the highest.';
comment on column kept.rule.trial_factor is
    'The fact, if stated of the runs, that the number over trials is multiplied by; NULL for none.';

-- What others publish. `printed` is the number as the document prints it, which tells to how many digits.
create table published (
    source                varchar not null,
    revision              varchar,
    section               varchar not null,
    cell                  varchar not null,
    framework             varchar,
    implementation        varchar,
    model                 varchar,
    task                  varchar,
    precision             varchar,
    batch_size_per_gpu    bigint,
    nodes                 bigint,
    gpus                  bigint,
    seq_len               bigint,
    gradient_accumulation bigint,
    gpu_model             varchar,
    logs                  varchar,
    rule                  varchar,
    quantity              varchar not null check (quantity in ('speed', 'speedup', 'memory')),
    printed               varchar not null,
    value                 double not null,
    unit                  varchar not null,
    url                   varchar,
    note                  varchar,
    line                  bigint,
    verdict               varchar check (verdict in ('equal', 'other_rule', 'within', 'contradicted', 'no_log')),
    found_value           double,
    found_rule            varchar,
    found_run             bigint
);
comment on table published is
    'One row per number that others published, to compare with. Filled by ingest from queries/published/, and by '
    'bench reproduce with its verdicts. See published_table for ours beside it.';
comment on column published.source is 'Document that states it.';
comment on column published.cell is 'Row and column in that table, as what they say of the case.';
comment on column published.framework is
    'pytorch, paddlepaddle, tensorflow, mxnet, oneflow. NULL here and below: the document does not state it.';
comment on column published.gradient_accumulation is 'Passes per optimizer step.';
comment on column published.logs is
    'Glob of the folders (sighting.folder_path and a slash) that hold the document''s own logs, such as '
    '*454a0608*Bert?logs/*: a commit is in it however the folder spells the rest. NULL if they are not known.';
comment on column published.rule is 'Rule by which the document got the number; NULL if it is not known.';
comment on column published.quantity is 'speed, speedup or memory.';
comment on column published.value is 'The same as a number.';
comment on column published.unit is 'Unit: samples/s, tokens/s, items/s, steps/s, s, TFLOP/s; 1 for a speed-up.';
comment on column published.url is 'Address of the document; NULL if it is not known.';
comment on column published.note is 'What is known to be wrong with the number; NULL for nothing.';
comment on column published.line is 'Line of the page. This and the columns below: of numbers that bench reproduce read.';
comment on column published.verdict is
    'equal (at the printed digits), other_rule (by a rule found by search), within (a tolerance), contradicted or '
    'no_log; NULL for numbers of queries/published/.';
comment on column published.found_value is 'Number of the logs that the verdict is about; NULL for no_log.';
comment on column published.found_rule is 'Rule of that number.';
comment on column published.found_run is 'Run of that number (table run).';

-- What follows is kept: filled in the transaction that changes what it is made of (benchledger/kept), so that no
-- answer has to read the records of a run again. It has no keys, like the records.

-- Which series a run is in.
create table kept.series_member (
    series_id              bigint not null,
    run_id                 bigint not null,
    campaign               varchar,
    case_id                bigint not null,
    system                 varchar,
    gpu_model              varchar,
    gpu_memory_mib         bigint,
    framework_version      varchar,
    implementation_version varchar,
    variant                varchar,
    stated_trial           bigint,
    started_at             timestamp,
    run_key                varchar not null,
    environment_id         bigint not null
);
comment on table kept.series_member is
    'One row per run and series, with what decides the membership. Helper of series and series_run.';
comment on column kept.series_member.stated_trial is 'Repetition number that the run states; NULL if none.';
comment on column kept.series_member.run_key is 'Key of the run.';

create table series (
    series_id              bigint not null,
    campaign               varchar,
    case_id                bigint not null,
    system                 varchar,
    gpu_model              varchar,
    gpu_memory_mib         bigint,
    framework_version      varchar,
    implementation_version varchar,
    variant                varchar,
    mixed                  varchar
);
comment on table series is
    'One row per series: the trials of one case in one campaign on one system and kind of GPU with one version of '
    'the software. The only thing over which trials are averaged.';

create table kept.series_run (
    series_id bigint not null,
    run_id    bigint not null,
    trial     bigint not null
);
comment on table kept.series_run is 'One row per run of a series, with its trial number. Excluded runs are in none.';
comment on column kept.series_run.trial is
    'Repetition number in the series: as stated where that is unique, else by time of start.';

create table conflict (
    run_id       bigint not null,
    name         varchar not null,
    used_value   varchar,
    other_value  varchar,
    used_source  varchar,
    other_source varchar
);
comment on table conflict is 'One row per statement about a run that contradicts the one that counts.';
comment on column conflict.name is 'What is stated twice.';
comment on column conflict.used_value is 'Value that counts; NULL where none does, because nothing decides.';
comment on column conflict.other_value is 'Value that contradicts it.';
comment on column conflict.used_source is 'Source of the value that counts.';
comment on column conflict.other_source is 'Source of the contradicting value.';

-- Kept, as series_member and those behind it: what a run's records say under each rule, read once.

create table kept.run_format (
    run_id bigint not null,
    format varchar
);
comment on table kept.run_format is
    'One row per run: the format of the log that its numbers come from. Helper of run_speed and speed_table.';

create table kept.speed (
    run_id          bigint not null,
    rule            varchar not null,
    phase           varchar,
    unit            varchar,
    value           double,
    records_used    bigint not null,
    records_skipped bigint not null,
    status          varchar not null,
    reason          varchar,
    is_window_whole boolean
);
comment on table kept.speed is
    'One row per run, rule, phase and unit: what run_speed says before anything is known of how the run ended. '
    'Kept, so that no answer reads its records again.';
comment on column kept.speed.unit is 'Unit of the value; NULL if it is not known.';
comment on column kept.speed.value is 'Speed, or time, of the run under the rule; NULL if none can be computed.';
comment on column kept.speed.records_skipped is 'Number of records that the rule leaves out, or that are unusable.';
comment on column kept.speed.status is 'ok, too_few_records, missing_fact, ambiguous or failed.';
comment on column kept.speed.is_window_whole is
    'Whether the run has all records that the rule asks for; false of summaries.';

-- Runs that say nothing of their format's default rule. Each is still a row of it: a failed run is a status, never nothing.
create table kept.silent_run (
    run_id bigint not null,
    rule   varchar not null
);
comment on table kept.silent_run is
    'One row per run whose records have nothing that the default rule of its format reads. Helper of run_speed.';

-- Where a later rule of the format's chain is the first that gives a number.
create table kept.run_fallback (
    run_id bigint not null,
    phase  varchar,
    rule   varchar not null
);
comment on table kept.run_fallback is
    'One row per run and phase for which not the default rule of its format, but a fallback of it is the first that'
    ' gives a number. Helper of run_speed.';

-- Printed speeds that the same log contradicts: they are no speeds of the run.
create table kept.contradicted_speed (
    run_id bigint not null,
    rule   varchar not null,
    phase  varchar,
    unit   varchar not null,
    reason varchar not null
);
comment on table kept.contradicted_speed is
    'One row per run, rule, phase and unit whose value another statement of the log contradicts: a value made of steps '
    'is less than half of the closing throughput, or the closing throughput counts steps that were not done or timed.';
comment on column kept.contradicted_speed.unit is 'Unit of the value.';
comment on column kept.contradicted_speed.reason is 'What in the log contradicts the value.';

create table kept.cell (
    series_id       bigint not null,
    rule            varchar not null,
    is_default      boolean not null,
    value           double,
    unit            varchar,
    trials          bigint not null,
    trials_dropped  bigint not null,
    lowest          double,
    highest         double,
    stdev           double,
    conflicts       bigint not null,
    status          varchar,
    trial_runs      bigint[],
    cell            varchar not null
);
comment on table kept.cell is
    'One row per series, rule and unit: the numbers of speed_table, without what series and case say.';
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

-- What the kept tables were filled by: if it is not what it was, they are filled again.
create table kept.run_hash (
    run_id bigint not null,
    print  ubigint not null
);
comment on table kept.run_hash is
    'One row per run: a hash of the logs, lines and facts that its kept numbers were made of. Where it differs, '
    'they are made again.';

create table kept.definition_hash (
    kind  varchar not null check (kind in ('rule', 'format', 'settings')),
    name  varchar not null,
    print ubigint not null
);
comment on table kept.definition_hash is
    'One row per rule and format: a hash of what it said when the kept numbers were made.';
comment on column kept.definition_hash.kind is 'rule or format.';
comment on column kept.definition_hash.name is 'Id of the rule or the format.';

-- What tables kept.rule and published were made of: if it is what it was, nothing is read or compared.
create table kept.synced_definitions (
    files varchar not null
);
comment on table kept.synced_definitions is
    'One row per state of the definitions, the last alone: what tables kept.rule and published were made of.';
comment on column kept.synced_definitions.files is 'Hash of the definition files, and of the code that reads them.';


-- Kept, as run_speed.
create table run_memory (
    run_id       bigint not null,
    case_id      bigint not null,
    definition   varchar not null,
    device       varchar,
    value_mib    double,
    records_used bigint not null
);
comment on table run_memory is
    'One row per run, definition of memory and device: the highest memory seen. The definitions differ by gigabytes'
    ' and are never mixed.';
comment on column run_memory.device is
    'Device as its log names it; else ''rank N'', or ''row N'' among the rows of a monitor with one time.';
comment on column run_memory.value_mib is 'Highest memory in MiB.';

-- Kept, as kept.cell: the speed-ups of each speed that is more than simply its own base of weak scaling.
create table kept.speedup (
    speed_cell     varchar not null,
    series_id      bigint not null,
    scaling        varchar not null,
    base_series_id bigint,
    base_gpus      bigint,
    base_value     double,
    speedup        double,
    efficiency     double,
    cell           varchar not null
);
comment on table kept.speedup is
    'One row per cell of speedup_table, but of a speed that is its own base of weak scaling and nothing else: its '
    'base and what it comes to.';
comment on column kept.speedup.speed_cell is 'Short name of the speed (column cell of speed_table).';
comment on column kept.speedup.scaling is 'As in speedup_table.';
comment on column kept.speedup.base_series_id is 'As in speedup_table.';
comment on column kept.speedup.base_gpus is 'As in speedup_table.';
comment on column kept.speedup.base_value is 'As in speedup_table.';
comment on column kept.speedup.speedup is 'As in speedup_table.';
comment on column kept.speedup.efficiency is 'As in speedup_table.';
comment on column kept.speedup.cell is 'As in speedup_table.';

-- Kept by an ingest (benchledger/kept), so that no table of convergence reads records: where a run's time starts and ends,
-- what its main loss says, where the mean of that was lower than ever before, and its evaluations.
create table kept.run_clock (
    run_id     bigint not null,
    started_at timestamp,
    started_s  double,
    midnights  struct(log_id bigint, byte_offset bigint)[],
    seconds    double,
    is_timed   boolean not null
);
comment on table kept.run_clock is
    'One row per run that its logs date: when its time starts, and how long it lasts. Kept by an ingest.';
comment on column kept.run_clock.started_at is
    'When the time starts: with the record that a rule names (MLPerf: run_start), else with the first dated record.';
comment on column kept.run_clock.started_s is 'The same on the log''s own clock, where it has no date.';
comment on column kept.run_clock.midnights is
    'Where a clock without a date goes past midnight, a log and an offset each; NULL where it is unknown, or '
    'the log has dates.';
comment on column kept.run_clock.seconds is
    'Seconds from there to the record that the rule names, else to the last dated record; NULL where the clock'
    ' goes back although the steps go on.';
comment on column kept.run_clock.is_timed is 'Whether a rule names both ends, and the log has them.';

create table kept.loss (
    run_id            bigint not null,
    name              varchar not null,
    rank              integer not null,
    losses            bigint not null,
    losses_not_finite bigint not null,
    lowest            double not null,
    highest           double not null,
    first_step        bigint,
    last_step         bigint,
    step_restarts     boolean not null,
    last_epoch        bigint,
    summed_s          double,
    last_loss         double not null,
    log_id            bigint not null,
    line              bigint not null,
    start_mean        double,
    start_highest     double,
    lowest_mean       double,
    lowest_highest    double,
    lowest_step       bigint,
    final_mean        double,
    final_lowest      double
);
comment on table kept.loss is
    'One row per run that prints a loss while it trains: what its main loss says. Kept by an ingest, excluded runs '
    'too.';
comment on column kept.loss.name is 'Name of the loss as the log spells it; which one it is: loss_curve.is_main.';
comment on column kept.loss.rank is 'Rank that printed it; -1 where ranks do not print.';
comment on column kept.loss.losses is 'How many of it the run prints.';
comment on column kept.loss.lowest is 'The lowest loss as logged.';
comment on column kept.loss.highest is 'The highest loss as logged; NaN is higher than any.';
comment on column kept.loss.step_restarts is
    'Whether the step numbers fall somewhere, as where each epoch counts from 0.';
comment on column kept.loss.summed_s is
    'Sum of the step times after the first loss, of runs whose logs date nothing; NULL where step numbers fall.';
comment on column kept.loss.log_id is 'Log of the last loss.';
comment on column kept.loss.line is 'Line of the last loss.';
comment on column kept.loss.start_mean is 'Mean of the first losses (loss_curve.mean_loss).';
comment on column kept.loss.start_highest is 'The highest loss of that mean.';
comment on column kept.loss.lowest_mean is 'The lowest mean of as many losses in a row.';
comment on column kept.loss.lowest_highest is 'The highest loss of that mean.';
comment on column kept.loss.final_mean is 'Mean of the last losses; NULL where one of them is not finite.';
comment on column kept.loss.final_lowest is 'The lowest of the last losses.';

create table kept.low_loss (
    run_id    bigint not null,
    nth       bigint not null,
    epoch     bigint,
    step      bigint,
    seconds   double,
    mean_loss double not null,
    log_id    bigint not null,
    line      bigint not null
);
comment on table kept.low_loss is
    'One row per mean of the last losses (loss_curve.mean_loss) that is lower than all before it in its run: the '
    'first one at a target is one of these.';
comment on column kept.low_loss.nth is 'Place of the loss among those of its run, from 1.';
comment on column kept.low_loss.epoch is 'Epoch, where one is logged.';
comment on column kept.low_loss.step is 'Step as logged.';
comment on column kept.low_loss.seconds is
    'Seconds since the start of the run''s time (run_clock); where the log dates nothing the sum of its step times.';
comment on column kept.low_loss.mean_loss is 'The mean.';

create table kept.evaluation_all (
    run_id           bigint not null,
    name             varchar not null,
    is_main          boolean not null,
    nth              bigint not null,
    kind             varchar not null,
    epoch            bigint,
    step             bigint,
    seconds          double,
    quantity         varchar not null,
    value            double not null,
    unit             varchar,
    fraction         double,
    higher_is_better boolean not null,
    rank             integer,
    log_id           bigint not null,
    line             bigint not null,
    byte_offset      bigint not null
);
comment on table kept.evaluation_all is
    'One row per metric that an evaluation of a run gives, as view kept.evaluation, of excluded runs too. Kept by '
    'an ingest.';
comment on column kept.evaluation_all.name is 'Name of the metric as the log spells it.';
comment on column kept.evaluation_all.is_main is 'Whether it is the main metric of the run.';
comment on column kept.evaluation_all.kind is 'step or summary.';
comment on column kept.evaluation_all.epoch is 'Epoch, where one is logged.';
comment on column kept.evaluation_all.step is 'Step, where one is logged.';
comment on column kept.evaluation_all.quantity is 'accuracy, score, error_rate, perplexity or loss.';
comment on column kept.evaluation_all.value is 'Value as logged.';
comment on column kept.evaluation_all.unit is '%, 1 or NULL.';
comment on column kept.evaluation_all.rank is 'Rank that printed it, where ranks print.';
