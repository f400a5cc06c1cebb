// SPDX-License-Identifier: Apache-2.0
#include "core/advice/model_search.h"

#include "core/advice/deep_search.h"
#include "core/advice/linear_search.h"
#include "core/advice/tree_search.h"
#include "core/data/dataset.h"
#include "core/data/rows/keyed_permutation.h"
#include "core/estimators/estimator_catalog.h"
#include "core/features/feature_encoder.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/tensorflow_names.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/preparation/linear_start.h"
#include "kernels/device/thread_pool.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>

namespace cannery::advice {
namespace {

/// The number of rows to try on; fewer if there are many classes, each of which costs as much.
constexpr std::int64_t kMostRows = 20'000;
constexpr std::int64_t kFewestOfMany = 3000;
/// Wider tables get no buckets, even wider ones a linear model.
constexpr std::size_t kMostBentColumns = 300;
constexpr std::size_t kMostColumns = 600;
constexpr std::uint64_t kSeed = 1;
/// With fewer rows no buckets are tried, with even fewer no deep model.
constexpr std::int64_t kFewestBentRows = 150;
constexpr std::int64_t kFewestDeepRows = 80;
/// A richer model must win by this many standard errors of the difference between folds. With few
/// rows it often wins by chance; with more, folds that learn from four fifths of the rows favour
/// the simpler model.
constexpr double kClearly = 0.5;
constexpr double kClearlyOfFew = 1.5;
constexpr std::int64_t kFewRows = 1000;
/// Columns are only left out if the others win by this many standard errors.
constexpr double kClearlyFewer = 1;
/// The number of columns that a note names.
constexpr std::size_t kMostNamed = 12;

/// An experiment's encoded rows, with all that is needed to train on some of them.
struct Encoded
{
    spec::Experiment experiment; ///< resolved
    features::InputLayout layout;
    features::EncodedDataset rows;
    std::optional<train::LinearPartProblem> part; ///< its problem is moved to `linear`
    std::optional<LinearTable> linear;
};

class Search
{
public:
    explicit Search(const ModelSearchRequest& request)
        : m_starting(request.starting), m_folder(request.folder), m_pool(request.threads),
          m_count(request.progress), m_keepsBestScore(request.keepsBestScore)
    {}

    Result<ModelSearchResult> run()
    {
        // The linear model comes first: its rows and folds are those of every other model, so that
        // losses can be compared.
        CANNERY_TRY_ASSIGN(Encoded plain, encode({.family = ModelFamily::Linear}));
        const LinearSearch search(static_cast<std::int64_t>(m_used.size()), workOf(plain), m_pool);
        m_folds = search.folds();
        const bool triesTrees = mayTryTrees();
        m_count.expect(modelsWithin() + (triesTrees ? treesToTry() : 0));
        std::vector<LinearSearch::Selected> selected;
        // Columns are selected by the linear model, which deep models alone do not have.
        if (!isOnly(ModelFamily::Deep) && !isOnly(ModelFamily::Trees)) {
            selected = search.select(plain.linear->problem(), groupsOf(plain));
        }
        const double guess = search.guess(plain.linear->problem());
        // Kept, as the searches below leave columns out of m_starting.
        const ModelColumns all = m_starting.columns;
        if (!isOnly(ModelFamily::Trees)) {
            CANNERY_TRY(searchWithin(search, std::move(plain)));
        }
        // Of the linear model with all columns.
        const double straight = mean(m_straight);
        for (std::size_t i = 0; i < selected.size(); ++i) {
            if (i == 0 ? mean(selected[0].scores) < straight : mayInteract()) {
                CANNERY_TRY(searchWithout(search, all, selected[i]));
            }
        }
        if (triesTrees) {
            CANNERY_TRY(searchTreesOf(all));
        }
        // With a split, the training itself reports a loss on rows that were held back.
        if (!m_starting.experiment.data().has_split()) {
            m_notes.push_back(fmt::format(
                "On rows that it did not learn from ({} folds), the model's loss was {:.4g}; a "
                "guess without columns has {:.4g}",
                m_folds.size(), mean(m_scores), guess));
        }
        return ModelSearchResult{.choice = m_best,
                                 .columns = std::move(m_starting.columns),
                                 .notes = std::move(m_notes),
                                 .tried = std::move(m_tried),
                                 .guess = guess};
    }

private:
    bool isOnly(ModelFamily family) const { return m_starting.family == family; }
    std::size_t columnCount() const { return m_starting.columns.plain.size(); }
    double clearly() const
    {
        return m_keepsBestScore                                       ? 0
               : static_cast<std::int64_t>(m_used.size()) <= kFewRows ? kClearlyOfFew
                                                                      : kClearly;
    }
    bool mayBend() const
    {
        return !m_starting.columns.buckets.empty() && columnCount() <= kMostBentColumns &&
               m_rows >= kFewestBentRows;
    }

    bool mayTryDeep() const
    {
        // A family that was asked for is tried whatever the table is like.
        const bool isTooMuch = columnCount() > kMostColumns || m_rows < kFewestDeepRows;
        return !isOnly(ModelFamily::Linear) && (m_starting.family || !isTooMuch);
    }

    /// Before columns are left out.
    bool mayTryTrees() const
    {
        const bool isUnfit =
            columnCount() > kMostColumns || m_rows < kFewestDeepRows || !fitsTrees(m_starting);
        return isOnly(ModelFamily::Trees) || (!m_starting.family && !isUnfit);
    }

    /// The number of models that searchWithin() tries.
    int modelsWithin() const
    {
        if (isOnly(ModelFamily::Trees)) {
            return 0;
        }
        // With and without buckets.
        const int linear = isOnly(ModelFamily::Deep) ? 0 : mayBend() ? 2 : 1;
        const std::size_t deep = mayTryDeep() ? deepChoices({}, m_rows).size() : 0;
        return linear + static_cast<int>(deep);
    }

    /// A deep part may combine columns that say little one by one; this needs many rows.
    bool mayInteract() const
    {
        return m_starting.family != ModelFamily::Linear && columnCount() <= kMostColumns &&
               m_rows >= kFewestDeepRows && m_rows <= kFewRows;
    }

    Result<Encoded> encode(const ModelChoice& choice)
    {
        const spec::Experiment made = withModel(m_starting, choice);
        CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                           data::Dataset::open(made.data(), m_folder, data::DataPart::Train));
        CANNERY_TRY_ASSIGN(spec::Experiment resolved,
                           train::resolveWithStatistics(made, dataset, {}, kernels::lend(m_pool)));
        CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                           features::FeatureEncoder::create(resolved, m_folder));
        CANNERY_TRY_ASSIGN(const graph::LoweredModel lowered,
                           estimators::lower(resolved, encoder.layout()));
        CANNERY_TRY_ASSIGN(train::LoadedRows loaded,
                           train::loadRows(dataset, encoder, {.threads = kernels::lend(m_pool)}));
        chooseRows(loaded.rows.rowCount());
        CANNERY_TRY_ASSIGN(std::optional<train::LinearPartProblem> part,
                           train::linearPartOf(lowered, loaded.rows, m_used));
        std::optional<LinearTable> linear;
        if (part) {
            linear.emplace(std::move(part->problem));
        }
        return Encoded{std::move(resolved), encoder.layout(), std::move(loaded.rows),
                       std::move(part), std::move(linear)};
    }

    /// Notes the loss of a kind of model if it is the lowest so far.
    void noteTried(ModelFamily family, const Scores& scores)
    {
        const auto known = std::find_if(m_tried.begin(), m_tried.end(),
                                        [&](const auto& tried) { return tried.family == family; });
        if (known == m_tried.end()) {
            m_tried.push_back({.family = family, .loss = mean(scores)});
        } else {
            known->loss = std::min(known->loss, mean(scores));
        }
    }

    /// The work of a linear model; one with buckets takes twice as much.
    double workOf(const Encoded& plain) const
    {
        const train::LinearProblem& problem = plain.linear->simpler();
        return static_cast<double>(problem.rows.values.size()) *
               static_cast<double>(problem.units) * (mayBend() ? 2 : 1);
    }

    /// Finds the best model of the current columns: m_best and its scores.
    Result<void> searchWithin(const LinearSearch& search, Encoded plain)
    {
        m_best = usualChoice(m_starting, static_cast<std::uint64_t>(m_rows));
        m_scores.clear();
        if (!isOnly(ModelFamily::Deep)) {
            CANNERY_TRY(searchLinear(search, std::move(plain)));
        }
        // A single family leaves no choice.
        if (!mayTryDeep()) {
            stayLinear();
            return {};
        }
        return searchDeep();
    }

    Result<void> searchLinear(const LinearSearch& search, Encoded plain)
    {
        LinearSearch::Found found = search.bestStrength(*plain.linear);
        m_straight = found.scores;
        m_count.add(1);
        m_notes.push_back(
            fmt::format("linear, L2 {:.4g}: loss {:.4g}", found.l2, mean(found.scores)));
        if (mayBend()) {
            CANNERY_TRY_ASSIGN(const Encoded bent,
                               encode({.family = ModelFamily::Linear, .buckets = true}));
            LinearSearch::Found bends = search.bestStrength(*bent.linear);
            m_count.add(1);
            m_notes.push_back(
                fmt::format("with buckets, L2 {:.4g}: loss {:.4g}", bends.l2, mean(bends.scores)));
            // Buckets make the model larger, so a lower loss by chance is not enough.
            if (isClearlyBetter(bends.scores, found.scores, clearly())) {
                m_best.buckets = true;
                found = std::move(bends);
            }
        }
        noteTried(ModelFamily::Linear, found.scores);
        m_best.l2 = found.l2;
        m_scores = std::move(found.scores);
        m_solutions = std::move(found.weights);
        return {};
    }

    /// As searchWithin(), with the selected columns only. They were selected on all rows, so the
    /// score on a part of them is too good, by as much as the linear model's score is better than
    /// if each fold had selected its own.
    Result<void> searchWithout(const LinearSearch& search, const ModelColumns& all,
                               const LinearSearch::Selected& selected)
    {
        const ModelChoice best = m_best;
        const Scores scores = m_scores;
        const ModelColumns columns = m_starting.columns;
        m_starting.columns = all;
        keepColumns(selected);
        m_count.expect(modelsWithin());
        CANNERY_TRY_ASSIGN(Encoded plain, encode({.family = ModelFamily::Linear}));
        CANNERY_TRY(searchWithin(search, std::move(plain)));
        // The score is corrected before it is compared.
        for (std::size_t i = 0; i < m_scores.size(); ++i) {
            m_scores[i] += selected.scores[i] - m_straight[i];
        }
        if (!isClearlyBetter(m_scores, scores, kClearlyFewer)) {
            m_notes.emplace_back("not better than before");
            m_scores = scores;
            m_best = best;
            m_starting.columns = columns;
        }
        return {};
    }

    /// The linear model's columns are in the order of TensorFlow's names.
    std::vector<std::string> handlesInOrder() const
    {
        const spec::ColumnIndex index(m_starting.experiment);
        std::vector<std::pair<std::string, std::string>> named;
        for (const std::string& handle : m_starting.columns.plain) {
            // A name that cannot be derived is as good as its own.
            const auto names = spec::tensorflowNames(index, handle);
            named.emplace_back(names ? names->front() : handle, handle);
        }
        std::sort(named.begin(), named.end());
        std::vector<std::string> handles;
        for (auto& each : named) {
            handles.push_back(std::move(each.second));
        }
        return handles;
    }

    /// Each feature column is one group.
    static train::ColumnGroups groupsOf(const Encoded& plain)
    {
        train::ColumnGroups groups;
        for (const std::int64_t width : plain.part->widths) {
            groups.ofColumn.insert(groups.ofColumn.end(), static_cast<std::size_t>(width),
                                   groups.count++);
        }
        return groups;
    }

    /// Removes all others, from the buckets and the deep part as well.
    void keepColumns(const LinearSearch::Selected& selected)
    {
        ModelColumns& columns = m_starting.columns;
        const std::vector<std::string> handles = handlesInOrder();
        std::set<std::string> kept;
        std::string names;
        for (const std::size_t group : selected.groups) {
            const std::string source = sourceColumn(m_starting.experiment, handles[group]);
            if (kept.insert(source).second && kept.size() <= kMostNamed) {
                names += (names.empty() ? "" : ", ") + source;
            }
        }
        m_notes.push_back(
            fmt::format("linear, {} of {} columns ({}{}): loss {:.4g}; these alone:", kept.size(),
                        columns.plain.size(), names, kept.size() > kMostNamed ? ", …" : "",
                        mean(selected.scores)));
        for (std::vector<std::string>* list : {&columns.plain, &columns.buckets, &columns.deep}) {
            std::erase_if(*list, [&](const std::string& handle) {
                return kept.count(sourceColumn(m_starting.experiment, handle)) == 0;
            });
        }
    }

    void stayLinear()
    {
        m_best.family = ModelFamily::Linear;
        m_best.steps = kLinearSteps;
    }

    Result<void> searchDeep()
    {
        const bool alone = m_starting.family == ModelFamily::Deep;
        ModelChoice choice = m_best;
        choice.family = alone ? ModelFamily::Deep : ModelFamily::Combined;
        CANNERY_TRY_ASSIGN(const Encoded encoded, encode(choice));
        CANNERY_TRY_ASSIGN(const std::vector<DeepTried> tried,
                           searchDeepModels({.starting = m_starting,
                                             .experiment = encoded.experiment,
                                             .layout = encoded.layout,
                                             .rows = encoded.rows,
                                             .used = m_used,
                                             .folds = m_folds,
                                             .linear = encoded.linear ? &*encoded.linear : nullptr,
                                             .part = encoded.part ? &*encoded.part : nullptr,
                                             .solutions = m_solutions,
                                             .choices = deepChoices(choice, m_rows),
                                             .allRows = m_rows,
                                             .folder = m_folder,
                                             .pool = m_pool,
                                             .count = m_count}));
        for (const DeepTried& deep : tried) {
            m_notes.push_back(noteOf(deep));
        }
        const DeepTried& best = tried.front();
        noteTried(choice.family, best.scores);
        // Unless a family was requested, the simpler model wins unless it is clearly worse.
        const bool mayStaySimple = !alone && !m_starting.family;
        if (mayStaySimple && !isClearlyBetter(best.scores, m_scores, clearly())) {
            stayLinear();
        } else {
            m_best = best.choice;
            m_scores = best.scores;
        }
        return {};
    }

    /// Trees choose among all columns themselves. They are taken if they are clearly better.
    Result<void> searchTreesOf(const ModelColumns& all)
    {
        StartingExperiment starting = m_starting;
        starting.columns = all;
        starting.family = ModelFamily::Trees;
        const ModelChoice usual = usualChoice(starting, static_cast<std::uint64_t>(m_rows));
        // encode() reads m_starting, so the experiment of the trees takes its place for one call.
        std::swap(m_starting, starting);
        CANNERY_TRY_ASSIGN(const Encoded encoded, encode(usual));
        std::swap(m_starting, starting);
        CANNERY_TRY_ASSIGN(const std::vector<TreesTried> tried,
                           searchTrees({.starting = starting,
                                        .experiment = encoded.experiment,
                                        .layout = encoded.layout,
                                        .rows = encoded.rows,
                                        .used = m_used,
                                        .folds = m_folds,
                                        .choice = usual,
                                        .folder = m_folder,
                                        .pool = m_pool,
                                        .count = m_count}));
        for (const TreesTried& trees : tried) {
            m_notes.push_back(noteOf(trees));
        }
        const TreesTried& best = tried.front();
        const Scores& lowest = std::ranges::min_element(tried, {}, [](const TreesTried& trees) {
                                   return mean(trees.lowest);
                               })->lowest;
        noteTried(ModelFamily::Trees, lowest);
        if (isOnly(ModelFamily::Trees) || isClearlyBetter(lowest, m_scores, clearly())) {
            m_best = best.choice;
            m_scores = best.scores;
            // Trees choose among all columns, so nothing is left out for them.
            m_starting.columns = all;
        }
        return {};
    }

    void chooseRows(std::int64_t rows)
    {
        m_rows = rows;
        // A fixed seed, so that the same table gets the same model.
        const data::KeyedPermutation order(rows, data::permutationKey(kSeed, 0));
        const std::int64_t units = std::max<std::int64_t>(1, m_starting.label.classes);
        // Each class costs as much as a model of its own.
        const std::int64_t most = std::max(kMostRows / units, kFewestOfMany);
        m_used.resize(static_cast<std::size_t>(std::min(rows, most)));
        order.fill(0, m_used);
    }

    StartingExperiment m_starting; ///< with the remaining columns
    const std::string& m_folder;
    kernels::ThreadPool m_pool;
    std::int64_t m_rows = 0;          ///< that the experiment trains on
    std::vector<std::int64_t> m_used; ///< the rows used here, in random order
    std::vector<Fold> m_folds;
    ModelChoice m_best;
    Scores m_straight;                             ///< of the linear model without buckets
    Scores m_scores;                               ///< of the best model
    std::vector<train::LinearWeights> m_solutions; ///< of the best linear model on each fold
    std::vector<std::string> m_notes;
    std::vector<TriedModel> m_tried;
    TrialCount m_count;
    bool m_keepsBestScore;
};

} // namespace

Result<ModelSearchResult> searchModel(const ModelSearchRequest& request)
{
    return Search(request).run();
}

} // namespace cannery::advice
