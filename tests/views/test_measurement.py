"""Which records count: twins, telemetry, and logs that nobody claims."""

from tests.views.conftest import in_halves


@in_halves
def test_every_value_of_a_record_is_a_row(ledger):
    run = ledger.run(ledger.step(1, speed=10.0))

    yield
    rows = ledger.rows("select run_id, role, line, ordinal, name, value, unit from measurement order by ordinal")

    assert rows == [(run, "train", 1, 1, "step_loss", 1.0, "1"), (run, "train", 1, 2, "ips", 10.0, "samples/s")]


@in_halves
def test_a_twin_is_left_out_except_for_what_the_train_log_lacks(ledger):
    run = ledger.run(ledger.summary(1.0))
    twin = ledger.log(ledger.summary(1.0), ledger.summary(2.0))
    ledger.attach(run, twin, "duplicate_stream")
    ledger.insert("kept.stream_only", log_id=twin, byte_offset=200)

    yield
    counted = ledger.rows("select role, value from measurement order by all")
    stored = ledger.rows("select role, value from kept.measurement_all order by all")

    assert counted == [("duplicate_stream", 2.0), ("train", 1.0)]
    assert stored == [("duplicate_stream", 1.0), ("duplicate_stream", 2.0), ("train", 1.0)]


def test_a_twin_without_a_train_log_counts_in_full(ledger):
    ledger.run(ledger.summary(7.0), role="duplicate_stream")
    ledger.write("insert into kept.stream_only select log_id, byte_offset from kept.record")

    assert ledger.rows("select value from measurement") == [(7.0,)]
    assert ledger.rows("select value, records_used, records_skipped from run_speed where is_default") == [(7.0, 1, 0)]


@in_halves
def test_a_speed_that_only_the_twin_holds_is_found(ledger):
    run = ledger.run(ledger.summary(1.0))
    twin = ledger.log(ledger.summary(1.0), ledger.summary(2.0))
    ledger.attach(run, twin, "duplicate_stream")
    ledger.insert("kept.stream_only", log_id=twin, byte_offset=200)

    yield
    assert ledger.rows("select value, records_used, records_skipped from run_speed where is_default") == [(2.0, 1, 1)]


@in_halves
def test_a_log_that_no_run_claims_has_no_run_and_no_role(ledger):
    ledger.log(ledger.memory(5.0))

    yield
    assert ledger.rows("select run_id, role, value, phase from measurement") == [(None, None, 5.0, None)]


@in_halves
def test_a_telemetry_log_serves_several_runs_by_lines_and_by_device(ledger):
    one, two = ledger.run(), ledger.run()
    smi = ledger.log(*(ledger.memory(float(10 * line + gpu), device=str(gpu)) for line in range(3) for gpu in range(2)))
    ledger.attach(one, smi, "telemetry", devices=["0"], first_line=1, last_line=4)
    ledger.attach(two, smi, "telemetry", devices=["1"], first_line=3, last_line=6)

    yield
    rows = ledger.rows("select run_id, line, device from measurement order by line, run_id")

    assert rows == [(one, 1, "0"), (None, 2, "1"), (one, 3, "0"), (two, 4, "1"), (None, 5, "0"), (two, 6, "1")]


@in_halves
def test_a_telemetry_record_without_a_device_counts_for_every_claim(ledger):
    run = ledger.run()
    smi = ledger.log(ledger.memory(5.0))
    ledger.attach(run, smi, "telemetry", devices=["0"])

    yield
    assert ledger.rows("select run_id from measurement") == [(run,)]


def test_two_runs_of_one_log_keep_their_own_lines(ledger):
    log = ledger.log(ledger.summary(1.0), ledger.summary(2.0))
    one, two = ledger.run(log_id=log), ledger.run(log_id=log)
    ledger.write("update run_log set last_line = 1 where run_id = ?", one)
    ledger.write("update run_log set first_line = 2, segment = 2 where run_id = ?", two)

    assert ledger.rows("select run_id, value from run_speed where is_default order by all") == [(one, 1.0), (two, 2.0)]


@in_halves
def test_place_of_a_value_is_unique(ledger):
    run = ledger.run(ledger.step(1, speed=10.0), ledger.step(2, speed=10.0), ledger.summary(9.0))
    ledger.attach(run, ledger.log(ledger.memory(5.0, device="0")), "telemetry", devices=["0", "1"])

    yield
    values, places = ledger.rows(
        "select count(*), count(distinct (log_id, byte_offset, ordinal, run_id)) from measurement"
    )[0]

    assert values == places == 6
