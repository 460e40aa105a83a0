-- Tables hold facts as logged. Ids are hashes of content, so that they do not depend on the order of ingestion.

create table log (
    log_id           bigint primary key,
    content_hash     varchar not null unique,
    bytes            bigint not null check (bytes >= 0),
    lines            bigint not null check (lines >= 0),
    format           varchar,
    format_version   integer,
    definitions_hash varchar not null,
    pieces           bigint not null check (pieces = records + ignored + rejects),
    records          bigint not null check (records >= 0),
    ignored          bigint not null check (ignored >= 0),
    rejects          bigint not null check (rejects >= 0),
    notes            bigint not null check (notes >= 0),
    evidence         varchar,
    load_number      integer not null
);

-- What was named to be read: a folder, or an archive.
create table kept.root (
    root_id varchar primary key,
    name    varchar not null
);

create table sighting (
    sighting_id      bigint primary key,
    log_id           bigint,
    path             varchar not null,
    archive          varchar,
    member           varchar,
    campaign         varchar,
    campaign_source  varchar check (campaign_source in ('option', 'facts.toml', 'name', 'folder')),
    root_id          varchar,
    campaign_path    varchar,
    place            varchar,
    folder           varchar not null,
    folders          varchar[],
    words            varchar[],
    stem             varchar not null,
    name_rule        varchar,
    modified_at      timestamp,
    ingested_at      timestamp not null,
    definitions_hash varchar not null,
    status           varchar not null check (status in
        ('loaded', 'duplicate', 'superseded', 'facts', 'empty', 'unrecognised', 'unreadable')),
    reason           varchar
);

create table kept.sighting_fact (
    sighting_id  bigint not null,
    name         varchar not null,
    value        varchar,
    value_logged varchar,
    source       varchar not null check (source in ('correct', 'manifest', 'facts.toml', 'name')),
    place        varchar
);

-- The files that a manifest lists, by the place where they should lie.
create table kept.sighting_file (
    sighting_id bigint not null,
    file        varchar not null,
    place       varchar not null
);

-- What one ignore entry of a format took, per log: the reasons behind log.ignored.
create table kept.ignored_piece (
    log_id bigint not null,
    reason varchar not null,
    pieces bigint not null check (pieces > 0),
    primary key (log_id, reason)
);

create table reject (
    log_id      bigint not null,
    line        bigint not null check (line >= 1),
    byte_offset bigint not null check (byte_offset >= 0),
    record      varchar,
    reason      varchar not null,
    text        varchar not null
);

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

-- What one execution left in one log: a log can hold several.
create table kept.segment (
    log_id            bigint not null,
    segment           integer not null check (segment >= 1),
    role              varchar not null check (role in
        ('train', 'duplicate_stream', 'telemetry', 'profile', 'manifest', 'sidecar')),
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
    devices           varchar[],
    primary key (log_id, segment)
);

create table kept.log_fact (
    log_id       bigint not null,
    segment      integer not null,
    name         varchar not null,
    value        varchar,
    value_logged varchar,
    line         bigint,
    trust        integer not null,
    strength     varchar not null default 'stated' check (strength in ('stated', 'counted', 'usual', 'quoted'))
);

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

create table environment (
    environment_id         bigint primary key,
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

create table run (
    run_id         bigint primary key,
    run_key        varchar not null unique,
    case_id        bigint not null,
    environment_id bigint not null,
    trial          bigint,
    started_at     timestamp,
    ended_at       timestamp,
    time_source    varchar,
    status         varchar not null check (status in
        ('ok', 'oom', 'nan', 'timeout', 'failed', 'truncated', 'too_few_steps', 'unknown')),
    reason         varchar,
    status_log_id  bigint,
    status_line    bigint,
    steps_planned  bigint,
    steps_done     bigint,
    exit_code      bigint
);

create table kept.run_alias (
    old_key varchar primary key,
    run_key varchar not null
);

create table run_log (
    run_id      bigint not null,
    log_id      bigint not null,
    sighting_id bigint,
    role        varchar not null check (role in
        ('train', 'duplicate_stream', 'telemetry', 'profile', 'manifest', 'sidecar')),
    segment     integer not null,
    first_line  bigint not null,
    last_line   bigint not null,
    devices     varchar[],
    paired_by   varchar not null,
    primary key (run_id, log_id, segment)
);

-- Records of a duplicate stream that its train log does not have: they stay in measurement.
create table kept.stream_only (
    log_id      bigint not null,
    byte_offset bigint not null
);

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
    strength     varchar not null default 'stated' check (strength in ('stated', 'counted', 'usual', 'quoted')),
    used         boolean not null
);

create table kept.exclusion (
    run_key     varchar not null,
    reason      varchar not null,
    excluded_at timestamp not null,
    excluded_by varchar
);

-- Definitions as they were when they were last used, so that the views need nothing but this file.
create table kept.format (
    format         varchar primary key,
    version        integer not null,
    framework      varchar,
    implementation varchar,
    default_rule   varchar,
    role           varchar not null
);

-- What suites demand of a score: filled from queries/submissions/, as table kept.rule is from queries/rules/.
create table kept.demanded_runs (
    rule      varchar not null,
    benchmark varchar not null,
    runs      bigint not null check (runs > 0)
);

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
    campaign              varchar,
    rule                  varchar,
    quantity              varchar not null check (quantity in ('speed', 'speedup')),
    printed               varchar not null,
    value                 double not null,
    unit                  varchar not null,
    url                   varchar,
    note                  varchar
);
