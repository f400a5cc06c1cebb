#include "app/cannery/model_search.h"

#include "core/data/dataset.h"
#include "core/data/keyed_permutation.h"
#include "core/data/pipeline.h"
#include "core/estimators/estimator_catalog.h"
#include "core/features/feature_encoder.h"
#include "core/heads/head.h"
#include "core/spec/spec_resolver.h"
#include "core/train/dataset_loader.h"
#include "core/train/linear_start.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

namespace cannery::app {
namespace {

/// Rows that are tried on: fewer of many classes, each of which costs as much.
constexpr std::int64_t kMostRows = 20'000;
constexpr std::int64_t kFewestOfMany = 3000;
constexpr double kStrengths[] = {10000, 3000, 1000, 300, 100, 60,   30,   20,    10,   6,
                                 3,     2,    1,    0.3, 0.1, 0.03, 0.01, 0.003, 0.001};
constexpr std::int64_t kJudgedAtOnce = 512;
/// Deep models that are tried on every fold.
constexpr std::size_t kFinalists = 2;
/// Wider tables get no buckets, and still wider ones a linear model.
constexpr std::size_t kMostBentColumns = 300;
constexpr std::size_t kMostColumns = 600;
constexpr std::uint64_t kSeed = 1;
/// Strengths are compared by solutions whose gradient is this part of the one without weights.
constexpr double kNearEnough = 1e-4;
/// A weaker regularization must lower the loss by more than a thousandth, and is not looked for
/// once so many in a row did not.
constexpr double kNoticeably = 0.999;
constexpr int kWorseInARow = 3;
/// Fewer rows teach no bends, and still fewer no deep model.
constexpr std::int64_t kFewestBentRows = 150;
constexpr std::int64_t kFewestDeepRows = 80;
/// A richer model must win by this many standard errors of the difference between folds. Of few
/// rows chance wins often; of more, folds that learn from four fifths favour the simpler model.
constexpr double kClearly = 0.5;
constexpr double kClearlyOfFew = 1.5;
constexpr std::int64_t kFewRows = 1000;
/// Rows * columns * units, with which the time of a linear solution grows. Beyond, the strength is
/// chosen on five folds at most, and still further on two, up to the first that is worse.
constexpr std::int64_t kMuchWork = 200'000;
constexpr std::int64_t kTooMuchWork = 1'000'000;

/// Rows learned from and rows judged on.
struct Fold
{
    std::vector<std::int64_t> learned;
    std::vector<std::int64_t> judged;
};

/// Positions among so many rows in random order: `parts` parts, of which the first `count` are
/// judged in turn.
std::vector<Fold> makeFolds(std::int64_t rows, std::int64_t parts, std::int64_t count)
{
    std::vector<Fold> folds(static_cast<std::size_t>(count));
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t f = 0; f < count; ++f) {
            Fold& fold = folds[static_cast<std::size_t>(f)];
            (row % parts == f ? fold.judged : fold.learned).push_back(row);
        }
    }
    return folds;
}

/// For a linear model, which is soon solved: each row once of very few, so that nearly all are
/// learned from; twenty or ten folds of few, two of some, one of many.
std::vector<Fold> linearFolds(std::int64_t rows, std::int64_t work)
{
    const std::int64_t some = work > kMuchWork ? 5 : rows <= kFewRows ? 20 : 10;
    const std::int64_t parts = rows < kFewestDeepRows ? rows : some;
    const std::int64_t count = rows <= 2500 && work <= kTooMuchWork ? parts : rows <= 6000 ? 2 : 1;
    return makeFolds(rows, parts, count);
}

std::vector<Fold> deepFolds(std::int64_t rows)
{
    const std::int64_t parts = rows <= kFewRows ? std::min<std::int64_t>(rows, 10) : 5;
    return makeFolds(rows, parts, rows <= 2500 ? parts : rows <= 6000 ? 2 : 1);
}

/// The mean loss on the judged rows of each fold.
using Scores = std::vector<double>;

double mean(const Scores& scores)
{
    return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
}

/// Whether the richer model wins by more than chance.
bool isClearlyBetter(const Scores& richer, const Scores& simpler, double clearly)
{
    Scores gain(richer.size());
    for (std::size_t i = 0; i < gain.size(); ++i) {
        gain[i] = simpler[i] - richer[i];
    }
    const double average = mean(gain);
    double squares = 0;
    for (const double each : gain) {
        squares += (each - average) * (each - average);
    }
    const auto count = static_cast<double>(gain.size());
    const double error = count > 1 ? std::sqrt(squares / (count - 1) / count) : 0.0;
    return average > clearly * error && average > 0.002 * mean(simpler);
}

/// An experiment's rows, encoded, with all that is needed to train on some of them.
struct Encoded
{
    spec::Experiment experiment; ///< resolved
    features::InputLayout layout;
    features::EncodedDataset rows;
    std::optional<train::LinearPartProblem> linear;
};

class Search
{
public:
    explicit Search(const ModelSearchRequest& request) : m_request(request) {}

    Result<ModelSearchResult> run()
    {
        CANNERY_TRY_ASSIGN(Encoded plain, encode({.family = ModelFamily::Linear}));
        const auto used = static_cast<std::int64_t>(m_used.size());
        const std::int64_t units = std::max<std::int64_t>(1, m_request.starting.label.classes);
        const std::int64_t work = used * static_cast<std::int64_t>(columnCount()) * units;
        m_linearFolds = linearFolds(used, work);
        m_worseInARow = work > kTooMuchWork ? 1 : kWorseInARow;
        m_folds = deepFolds(used);
        m_best = usualChoice(m_request.starting, static_cast<std::uint64_t>(m_rows));
        const auto family = m_request.starting.family;
        if (family != ModelFamily::Deep) {
            CANNERY_TRY(searchLinear(plain));
        }
        const bool isTooMuch = columnCount() > kMostColumns || m_rows < kFewestDeepRows;
        if (family == ModelFamily::Linear || (!family && isTooMuch)) {
            stayLinear();
        } else {
            CANNERY_TRY(searchDeep());
        }
        return ModelSearchResult{m_best, m_notes};
    }

private:
    std::size_t columnCount() const { return m_request.starting.columns.plain.size(); }
    double clearly() const
    {
        return static_cast<std::int64_t>(m_used.size()) <= kFewRows ? kClearlyOfFew : kClearly;
    }
    bool mayBend() const
    {
        return !m_request.starting.columns.buckets.empty() && columnCount() <= kMostBentColumns &&
               m_rows >= kFewestBentRows;
    }

    Result<Encoded> encode(const ModelChoice& choice)
    {
        const spec::Experiment made = withModel(m_request.starting, choice);
        CANNERY_TRY_ASSIGN(
            const data::Dataset dataset,
            data::Dataset::open(made.data(), m_request.folder, data::DataPart::Train));
        CANNERY_TRY_ASSIGN(spec::Experiment resolved, train::resolveWithStatistics(made, dataset));
        CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                           features::FeatureEncoder::create(resolved, m_request.folder));
        CANNERY_TRY_ASSIGN(const graph::LoweredModel lowered,
                           estimators::lower(resolved, encoder.layout()));
        CANNERY_TRY_ASSIGN(train::LoadedRows loaded,
                           train::loadRows(dataset, encoder, {.threads = m_request.threads}));
        chooseRows(loaded.rows.rowCount());
        CANNERY_TRY_ASSIGN(std::optional<train::LinearPartProblem> linear,
                           train::linearPartOf(lowered, loaded.rows, m_used));
        return Encoded{std::move(resolved), encoder.layout(), std::move(loaded.rows),
                       std::move(linear)};
    }

    /// The strength of regularization that is best for these columns, and its scores. From the
    /// strongest on, until some weaker ones in a row have made it worse; of strengths that are as
    /// good the strongest.
    std::pair<double, Scores> bestStrength(const train::LinearProblem& problem) const
    {
        std::vector<train::LinearWeights> weights(m_linearFolds.size());
        std::pair<double, Scores> best;
        double least = std::numeric_limits<double>::max();
        int worse = 0;
        for (const double strength : kStrengths) {
            Scores scores = linearScores(problem, strength, weights);
            const double loss = mean(scores);
            worse = loss > least ? worse + 1 : 0;
            least = std::min(least, loss);
            if (best.second.empty() || loss < kNoticeably * mean(best.second)) {
                best = {strength, std::move(scores)};
            }
            if (worse == m_worseInARow) {
                break;
            }
        }
        return best;
    }

    static double meanLoss(const train::LinearProblem& problem, const Fold& fold,
                           const train::LinearWeights& weights)
    {
        return train::linearLoss(problem, fold.judged, weights) /
               static_cast<double>(fold.judged.size());
    }

    /// `weights` of each fold: where to start from, and then the solutions.
    Scores linearScores(const train::LinearProblem& problem, double strength,
                        std::vector<train::LinearWeights>& weights) const
    {
        Scores scores;
        for (std::size_t i = 0; i < m_linearFolds.size(); ++i) {
            const Fold& fold = m_linearFolds[i];
            weights[i] = train::solveLinear(problem, fold.learned, strength, std::move(weights[i]),
                                            kNearEnough);
            scores.push_back(meanLoss(problem, fold, weights[i]));
        }
        return scores;
    }

    Result<void> searchLinear(const Encoded& plain)
    {
        auto [strength, scores] = bestStrength(plain.linear->problem);
        m_best.l2 = strength;
        m_notes.push_back(fmt::format("linear, L2 {}: loss {:.4g}", strength, mean(scores)));
        if (mayBend()) {
            CANNERY_TRY_ASSIGN(const Encoded bent,
                               encode({.family = ModelFamily::Linear, .buckets = true}));
            const auto [bentStrength, bentScores] = bestStrength(bent.linear->problem);
            m_notes.push_back(
                fmt::format("with buckets, L2 {}: loss {:.4g}", bentStrength, mean(bentScores)));
            if (isClearlyBetter(bentScores, scores, clearly())) {
                m_best.buckets = true;
                m_best.l2 = bentStrength;
                scoreOnDeepFolds(bent.linear->problem);
                return {};
            }
        }
        scoreOnDeepFolds(plain.linear->problem);
        return {};
    }

    void scoreOnDeepFolds(const train::LinearProblem& problem)
    {
        // Folds share most rows, so that one's solution is a good start for the next one's.
        train::LinearWeights last;
        for (const Fold& fold : m_folds) {
            last = train::solveLinear(problem, fold.learned, m_best.l2, std::move(last));
            m_linear.push_back(meanLoss(problem, fold, last));
            m_solutions.push_back(last);
        }
    }

    /// Where to start from with a linear part beside a deep one, which says little at first.
    train::LinearWeights startOf(std::size_t fold, const train::LinearProblem& problem) const
    {
        const auto size = static_cast<std::size_t>((problem.rows.columnCount + 1) * problem.units);
        const bool fits = fold < m_solutions.size() && m_solutions[fold].size() == size;
        return fits ? m_solutions[fold] : train::LinearWeights();
    }

    void stayLinear()
    {
        m_best.family = ModelFamily::Linear;
        m_best.steps = kLinearSteps;
    }

    /// A deep model that is tried: first on one fold, the best few on all.
    struct Trial
    {
        ModelChoice choice;
        Scores scores;
    };

    Result<void> searchDeep()
    {
        const bool alone = m_request.starting.family == ModelFamily::Deep;
        ModelChoice choice = m_best;
        choice.family = alone ? ModelFamily::Deep : ModelFamily::Combined;
        CANNERY_TRY_ASSIGN(const Encoded plain, encode(choice));
        std::vector<Trial> trials = trialsOf(choice);
        CANNERY_TRY(tryOut(plain, trials, 0, 1));
        trials.resize(kFinalists);
        CANNERY_TRY(tryOut(plain, trials, 1, m_folds.size()));
        for (const Trial& trial : trials) {
            note(trial);
        }
        const bool mayStaySimple = !alone && !m_request.starting.family;
        if (mayStaySimple && !isClearlyBetter(trials.front().scores, m_linear, clearly())) {
            stayLinear();
        } else {
            m_best = trials.front().choice;
        }
        return {};
    }

    void note(const Trial& trial)
    {
        const ModelChoice& choice = trial.choice;
        m_notes.push_back(
            fmt::format("deep, {} and {} units, dropout {}, {} steps at {}: loss {:.4g}",
                        choice.hiddenUnits[0], choice.hiddenUnits[1], choice.dropout, choice.steps,
                        choice.learningRate, mean(trial.scores)));
    }

    /// Scores the trials on these folds and sorts them, best first.
    Result<void> tryOut(const Encoded& encoded, std::vector<Trial>& trials, std::size_t firstFold,
                        std::size_t endFold)
    {
        for (Trial& trial : trials) {
            for (std::size_t fold = firstFold; fold < endFold; ++fold) {
                CANNERY_TRY_ASSIGN(const double loss, trainFold(encoded, trial.choice, fold));
                trial.scores.push_back(loss);
            }
        }
        std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
            return mean(a.scores) < mean(b.scores);
        });
        return {};
    }

    std::vector<Trial> trialsOf(const ModelChoice& base) const
    {
        std::vector<Trial> all;
        const auto add = [&](std::vector<std::int64_t> units, double dropout, double rate,
                             std::int64_t epochs) {
            ModelChoice choice = base;
            choice.hiddenUnits = std::move(units);
            choice.dropout = dropout;
            choice.learningRate = rate;
            choice.steps = std::clamp<std::int64_t>(epochs * m_rows / choice.batchSize / 100 * 100,
                                                    200, 20'000);
            all.push_back({choice, {}});
        };
        // So many passes as the rows are few; a big table teaches as much in fewer.
        const std::int64_t passes = std::clamp<std::int64_t>(150'000 / m_rows, 15, 60);
        add({64, 32}, 0.0, 0.001, passes / 3);
        add({64, 32}, 0.0, 0.003, passes);
        add({128, 64}, 0.2, 0.003, passes);
        add({128, 64}, 0.5, 0.003, passes);
        add({256, 128}, 0.5, 0.001, passes);
        return all;
    }

    void chooseRows(std::int64_t rows)
    {
        m_rows = rows;
        const data::KeyedPermutation order(rows, data::permutationKey(kSeed, 0));
        const std::int64_t units = std::max<std::int64_t>(1, m_request.starting.label.classes);
        const std::int64_t most = std::max(kMostRows / units, kFewestOfMany);
        m_used.resize(static_cast<std::size_t>(std::min(rows, most)));
        order.fill(0, m_used);
    }

    Result<double> trainFold(const Encoded& encoded, ModelChoice choice, std::size_t fold) const
    {
        // As many passes over the rows that are tried on.
        choice.steps = std::max<std::int64_t>(
            100, choice.steps * static_cast<std::int64_t>(m_used.size()) / m_rows);
        // What was resolved of the data stays; the model is this one.
        spec::Experiment experiment = encoded.experiment;
        const spec::Experiment made = withModel(m_request.starting, choice);
        *experiment.mutable_estimator() = made.estimator();
        experiment = spec::resolve(experiment);
        CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                           estimators::lower(experiment, encoded.layout));
        CANNERY_TRY_ASSIGN(
            const std::unique_ptr<plan::Model> model,
            plan::Model::create(std::move(lowered),
                                {.maxBatchSize = std::max(choice.batchSize, kJudgedAtOnce),
                                 .threads = m_request.threads,
                                 .seed = kSeed,
                                 .folder = m_request.folder}));
        CANNERY_TRY(trainOn(fold, encoded, choice, *model));
        return judge(m_folds[fold], encoded, *model);
    }

    std::vector<std::int64_t> rowsAt(std::span<const std::int64_t> positions) const
    {
        std::vector<std::int64_t> rows;
        for (const std::int64_t position : positions) {
            rows.push_back(m_used[static_cast<std::size_t>(position)]);
        }
        return rows;
    }

    Result<void> trainOn(std::size_t which, const Encoded& encoded, const ModelChoice& choice,
                         plan::Model& model) const
    {
        const Fold& fold = m_folds[which];
        if (choice.hasLinearPart()) {
            train::LinearPartProblem part = *encoded.linear;
            CANNERY_TRY_ASSIGN(part.problem.offsets, train::logitsOf(model, encoded.rows, m_used));
            train::putLinearWeights(part,
                                    train::solveLinear(part.problem, fold.learned, choice.l2,
                                                       startOf(which, part.problem)),
                                    model);
        }
        data::Pipeline pipeline({.rows = static_cast<std::int64_t>(fold.learned.size()),
                                 .batchSize = choice.batchSize,
                                 .shuffle = true,
                                 .seed = kSeed});
        std::vector<std::int64_t> positions;
        features::EncodedRows batch;
        for (std::int64_t step = 0; step < choice.steps && pipeline.next(positions); ++step) {
            for (std::int64_t& position : positions) {
                position = m_used[static_cast<std::size_t>(
                    fold.learned[static_cast<std::size_t>(position)])];
            }
            CANNERY_TRY(encoded.rows.gather(positions, batch));
            model.train(batch, step);
        }
        return {};
    }

    /// The mean loss on the rows to be judged, in units of the label's scale.
    Result<double> judge(const Fold& fold, const Encoded& encoded, plan::Model& model) const
    {
        const std::unique_ptr<metrics::MetricSet> metrics = model.head().createMetrics();
        const std::vector<std::int64_t> rows = rowsAt(fold.judged);
        features::EncodedRows batch;
        for (std::size_t begin = 0; begin < rows.size(); begin += kJudgedAtOnce) {
            const std::size_t count = std::min<std::size_t>(kJudgedAtOnce, rows.size() - begin);
            CANNERY_TRY(encoded.rows.gather(std::span(rows).subspan(begin, count), batch));
            model.evaluate(batch, *metrics);
        }
        const double scale = m_request.starting.label.scale;
        for (const metrics::MetricValue& metric : metrics->results()) {
            if (metric.name == "average_loss" && std::isfinite(metric.value)) {
                return metric.value / (scale * scale);
            }
        }
        return std::numeric_limits<double>::max();
    }

    const ModelSearchRequest& m_request;
    std::int64_t m_rows = 0;          ///< that the experiment trains on
    std::vector<std::int64_t> m_used; ///< rows that are tried on, in random order
    std::vector<Fold> m_linearFolds;
    int m_worseInARow = kWorseInARow;
    std::vector<Fold> m_folds; ///< of deep models
    ModelChoice m_best;
    Scores m_linear; ///< of the best linear model on the folds of deep ones
    std::vector<train::LinearWeights> m_solutions; ///< and its weights
    std::vector<std::string> m_notes;
};

} // namespace

Result<ModelSearchResult> searchModel(const ModelSearchRequest& request)
{
    return Search(request).run();
}

} // namespace cannery::app
