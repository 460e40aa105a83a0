"""What a series is: the only thing over which trials are averaged."""

from tests.views.conftest import in_halves

V100 = {"gpu_model": "V100", "gpu_memory_mib": 16160, "framework_version": "1.6", "implementation_version": "a"}


def members(ledger):
    """Runs by series, so that tests need no hash."""
    return sorted(
        runs for (runs,) in ledger.rows("select list_sort(list(run_id)) from kept.series_run group by series_id")
    )


@in_halves
def test_runs_of_one_case_campaign_and_environment_are_one_series(ledger):
    runs = [ledger.run(environment=V100) for _ in range(3)]

    yield
    assert members(ledger) == [runs]


@in_halves
def test_runs_that_differ_in_a_series_fact_never_share_a_series(ledger):
    runs = [ledger.run(environment=V100), *(ledger.run(environment={**V100, fact: "7"}) for fact in V100)]

    yield
    assert members(ledger) == [[run] for run in runs]


def test_runs_of_different_cases_or_campaigns_never_share_a_series(ledger):
    one = ledger.run(environment=V100)
    two = ledger.run(environment=V100, case={"gpus": 8})
    three = ledger.run(environment=V100, campaigns=("other",))

    assert members(ledger) == [[one], [two], [three]]


@in_halves
def test_a_run_that_states_no_gpu_joins_the_one_series_that_fits(ledger):
    full = ledger.run(environment=V100)
    silent = ledger.run(environment={"framework_version": "1.6"})

    yield
    assert members(ledger) == [[full, silent]]
    assert ledger.rows("select gpu_model, gpu_memory_mib, framework_version from series") == [("V100", 16160, "1.6")]


@in_halves
def test_a_run_that_states_nothing_stands_apart_where_two_series_fit(ledger):
    one = ledger.run(environment=V100)
    two = ledger.run(environment={**V100, "gpu_model": "A100"})
    silent = ledger.run()

    yield
    assert members(ledger) == [[one], [two], [silent]]


def test_a_run_that_contradicts_the_only_series_stands_apart(ledger):
    # The only one of its campaign.
    runs = [
        ledger.run(environment=environment, campaigns=(fact,)) for fact in V100 for environment in (V100, {fact: "7"})
    ]

    assert members(ledger) == [[run] for run in runs]


@in_halves
def test_two_runs_that_state_different_facts_do_not_make_a_series_together(ledger):
    one = ledger.run(environment={"gpu_model": "V100"})
    two = ledger.run(environment={"framework_version": "1.6"})

    yield
    assert members(ledger) == [[one], [two]]


@in_halves
def test_a_chain_of_ever_more_stated_facts_ends_in_the_one_that_states_most(ledger):
    runs = [
        ledger.run(),
        ledger.run(environment={"gpu_model": "V100"}),
        ledger.run(environment={"gpu_model": "V100", "framework_version": "1.6"}),
        ledger.run(environment=V100),
    ]

    yield
    assert members(ledger) == [runs]


def test_runs_without_a_campaign_are_a_series(ledger):
    runs = [ledger.run(campaigns=(None,)), ledger.run(campaigns=(None,), environment=V100)]

    assert members(ledger) == [runs]
    assert ledger.rows("select campaign from series") == [(None,)]


def test_a_run_seen_in_two_campaigns_is_in_a_series_of_each(ledger):
    run = ledger.run(campaigns=("a", "b", "b"))

    assert ledger.rows("select campaign, run_id from series join kept.series_run using (series_id) order by all") == [
        ("a", run),
        ("b", run),
    ]


def test_a_sighting_that_was_superseded_gives_no_campaign(ledger):
    ledger.run(log_id=ledger.log(campaigns=("a",)))
    ledger.write("update sighting set status = 'superseded'")

    assert ledger.rows("select * from kept.run_campaign") == []


def test_an_excluded_run_is_in_no_series_also_under_a_key_it_once_had(ledger):
    kept = ledger.run()
    ledger.run(run_key="now")
    ledger.run(run_key="direct")
    ledger.insert("kept.run_alias", old_key="first", run_key="second")
    ledger.insert("kept.run_alias", old_key="second", run_key="now")
    for key in ("first", "direct"):
        ledger.insert("kept.exclusion", run_key=key, reason="wrong clock", excluded_at="2026-11-21")

    assert members(ledger) == [[kept]]


def test_series_id_is_positive_and_the_same_in_another_order(ledger):
    ledger.run(environment=V100)
    ledger.run(environment={**V100, "gpu_model": "A100"})
    ids = ledger.rows("select series_id from series order by all")
    ledger.write("create table turned as from environment order by environment_id desc")
    ledger.write("delete from environment")
    ledger.write("insert into environment from turned")

    assert ledger.rows("select series_id from series order by all") == ids
    assert all(series_id > 0 for (series_id,) in ids)


@in_halves
def test_mixed_names_the_stated_facts_that_differ(ledger):
    ledger.run(environment={**V100, "driver_version": "450", "os": "Ubuntu"})
    ledger.run(environment={**V100, "driver_version": "460", "cuda_version": "11"})

    yield
    assert ledger.rows("select mixed from series") == [("driver_version",)]


def trials(ledger):
    return dict(ledger.rows("select run_id, trial from kept.series_run"))


@in_halves
def test_trials_are_numbered_by_start_and_then_by_key(ledger):
    late = ledger.run(started_at="2026-01-02", run_key="a")
    second = ledger.run(started_at="2026-01-01", run_key="c")
    first = ledger.run(started_at="2026-01-01", run_key="b")
    unknown = ledger.run(run_key="0")

    yield
    assert trials(ledger) == {first: 1, second: 2, late: 3, unknown: 4}


@in_halves
def test_a_stated_trial_number_stands_and_the_others_take_the_free_ones(ledger):
    stated = {ledger.run(trial=number): number for number in (1, 3, 4, 9)}
    free = [ledger.run(started_at=f"2026-01-0{day}") for day in (1, 2, 3, 4, 5, 6)]

    yield
    assert trials(ledger) == {**stated, **dict(zip(free, (2, 5, 6, 7, 8, 10), strict=True))}


@in_halves
def test_a_trial_number_that_two_runs_state_is_given_anew(ledger):
    two = ledger.run(trial=2, started_at="2026-01-02")
    also_two = ledger.run(trial=2, started_at="2026-01-01")
    zero = ledger.run(trial=0)

    yield
    assert trials(ledger) == {also_two: 1, two: 2, zero: 0}
