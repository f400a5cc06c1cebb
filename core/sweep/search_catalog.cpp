// SPDX-License-Identifier: Apache-2.0
#include "core/sweep/search_catalog.h"

#include "core/base/catalog.h"
#include "core/spec/text/text_format.h"
#include "core/sweep/fixed_searches.h"
#include "core/sweep/halving_search.h"
#include "core/sweep/parzen_search.h"

#include <array>

namespace cannery::sweep {

namespace {

constexpr ErrorKind kNoSweep{
    "sweep.none",
    "The experiment has no sweep. Write, for example, sweep {{ parameter {{ field: \"{}\" choice "
    "{{ value: [\"16\", \"64\"] }} }} grid {{}} }}."};

constexpr std::array kCatalog{
    SearchRow{spec::Sweep::kGrid, "grid", makeGridSearch},
    SearchRow{spec::Sweep::kRandom, "random", makeRandomSearch},
    SearchRow{spec::Sweep::kAsha, "asha", makeHalvingSearch},
    SearchRow{spec::Sweep::kTpe, "tpe", makeParzenSearch, true},
    SearchRow{spec::Sweep::kKFold, "k_fold", makeCrossValidation},
};

} // namespace

std::span<const SearchRow> searchCatalog()
{
    return kCatalog;
}

Result<std::unique_ptr<Search>> makeSearch(const spec::Experiment& experiment)
{
    const SearchRow* row = findRow(kCatalog, experiment.sweep().method_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoSweep, "train_spec.input.batch_size");
    }
    CANNERY_TRY_ASSIGN(ParameterSpace space, ParameterSpace::create(experiment.sweep()));
    return row->make(experiment, std::move(space));
}

std::string sweepIdentity(const spec::Experiment& experiment)
{
    spec::Experiment same = experiment;
    same.clear_name();
    same.clear_description();
    spec::Sweep& sweep = *same.mutable_sweep();
    const SearchRow* row = findRow(kCatalog, sweep.method_case());
    if (sweep.has_random()) {
        sweep.mutable_random()->clear_trials();
    }
    if (sweep.has_asha()) {
        sweep.mutable_asha()->clear_trials();
    }
    if (sweep.has_tpe()) {
        sweep.mutable_tpe()->clear_trials();
    }
    if (row == nullptr || !row->learns) {
        sweep.clear_parallel_runs();
        sweep.clear_metric();
        sweep.clear_higher_is_better();
    }
    return spec::printExperiment(same);
}

} // namespace cannery::sweep
