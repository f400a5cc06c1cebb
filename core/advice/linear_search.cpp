// SPDX-License-Identifier: Apache-2.0
#include "core/advice/linear_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace cannery::advice {
namespace {

/// Half powers of ten, strongest first, times 1 for squared errors and 0.5 for other losses:
/// scikit-learn's C = 1 is 0.5 here.
constexpr int kStrengths = 15;
constexpr int kStrengthsOfClasses = 13;
constexpr double kStrongest = 1e4;
constexpr double kUnitOfClasses = 0.5;
constexpr int kUsual = 8; ///< for classification: C = 1
/// The search ends after this many weaker strengths in a row were worse.
constexpr int kWorseInARow = 2;
/// Another strength than the usual one must win by this many standard errors.
constexpr double kBeyondChance = 1;
/// Strengths are compared by solutions whose gradient is this fraction of that at zero weights.
constexpr double kComparable = 1e-3;

/// With fewer rows, rows are left out one by one.
constexpr std::int64_t kFewestForParts = 80;
constexpr std::int64_t kMostFolds = 10;
constexpr std::int64_t kFewRowsForFolds = 1000;
constexpr std::int64_t kFewestParts = 5;
/// More rows are scored on two folds, even more on one.
constexpr std::int64_t kSomeRows = 2500;
constexpr std::int64_t kManyRows = 6000;
/// Multiplications for one fold's path, per entry and unit, and the limit for all folds.
constexpr double kRoundsOfPath = 1000;
constexpr double kMostPathWork = 6e9;

/// The numbers of groups to try.
constexpr std::size_t kCounts[] = {1, 2, 3, 5, 8, 12, 20, 30};
constexpr std::size_t kMostGroups = 30;
constexpr std::size_t kFewestGroups = 4;
constexpr std::size_t kPartOfMore = 4;
/// Passes over a problem for one selection, and the limit of multiplications for all.
constexpr double kPassesOfSelection = 300;
constexpr double kMostSelectionWork = 5e8;
constexpr std::int64_t kMostRowsToSelect = 20'000;

std::int64_t foldCount(std::int64_t rows, double work)
{
    // Each row is left out once.
    if (rows < kFewestForParts) {
        return rows;
    }
    const auto affordable = static_cast<std::int64_t>(kMostPathWork / (work * kRoundsOfPath + 1));
    const std::int64_t most = rows <= kFewRowsForFolds ? kMostFolds
                              : rows <= kSomeRows      ? kFewestParts
                              : rows <= kManyRows      ? 2
                                                       : 1;
    // As many folds as the time allows, but at least two while rows are few.
    return std::min(most, std::max<std::int64_t>(affordable, rows <= kManyRows ? 2 : 1));
}

double strengthAt(train::LinearLoss loss, int index)
{
    // Rounded, so that people can read the strengths.
    const double power = std::round(1000 * std::pow(10.0, -0.5 * (index % 2))) / 1000;
    const double whole = kStrongest / std::pow(10.0, index / 2) * power;
    return loss == train::LinearLoss::Squares ? whole : kUnitOfClasses * whole;
}

double meanLossOn(const train::LinearProblem& problem, const Fold& fold,
                  const train::LinearWeights& weights)
{
    return train::linearLoss(problem, fold.heldOut, weights) /
           static_cast<double>(fold.heldOut.size());
}

/// By leaving out each row, exactly.
double bestRidge(const train::TurnedRows& turned, const train::LinearProblem& problem)
{
    double best = kStrongest;
    double least = std::numeric_limits<double>::max();
    for (int index = 0; index < kStrengths; ++index) {
        const double l2 = strengthAt(problem.loss, index);
        const double loss =
            mean(train::leaveOneOutSquares(turned, problem.targets, problem.units, l2));
        if (loss < least) {
            least = loss;
            best = l2;
        }
    }
    return best;
}

} // namespace

std::vector<Fold> makeFolds(std::int64_t rows, std::int64_t parts, std::int64_t count)
{
    std::vector<Fold> folds(static_cast<std::size_t>(count));
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t f = 0; f < count; ++f) {
            Fold& fold = folds[static_cast<std::size_t>(f)];
            // Rows come in random order, so every n-th one is a sample.
            (row % parts == f ? fold.heldOut : fold.learned).push_back(row);
        }
    }
    return folds;
}

std::vector<std::int64_t> rowsAt(std::span<const std::int64_t> used,
                                 std::span<const std::int64_t> positions)
{
    std::vector<std::int64_t> rows;
    for (const std::int64_t position : positions) {
        rows.push_back(used[static_cast<std::size_t>(position)]);
    }
    return rows;
}

double mean(const Scores& scores)
{
    return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
}

bool isClearlyBetter(const Scores& first, const Scores& second, double clearly)
{
    Scores gain(first.size());
    for (std::size_t i = 0; i < gain.size(); ++i) {
        gain[i] = second[i] - first[i];
    }
    const double average = mean(gain);
    double squares = 0;
    for (const double each : gain) {
        squares += (each - average) * (each - average);
    }
    const auto count = static_cast<double>(gain.size());
    // A single fold has no deviation to compare with.
    const double error = count > 1 ? std::sqrt(squares / (count - 1) / count) : 0.0;
    // A gain that nobody would notice is not worth a larger model.
    return average > clearly * error && average > 0.002 * mean(second);
}

LinearTable::LinearTable(train::LinearProblem problem)
    : m_problem(std::move(problem)), m_turned(train::turnedToAxes(m_problem.rows))
{
    m_simpler = m_problem;
    if (m_turned) {
        m_simpler.rows = m_turned->rows;
    }
}

train::LinearWeights LinearTable::weightsOf(const train::LinearWeights& simpler) const
{
    return m_turned ? train::turnedBack(*m_turned, simpler, m_problem.units) : simpler;
}

LinearSearch::LinearSearch(std::int64_t rows, double work, kernels::ThreadPool& pool)
    : m_rows(rows), m_pool(pool)
{
    const std::int64_t count = foldCount(rows, work);
    // At most a fifth of the rows is held out.
    m_folds = makeFolds(rows, std::max(count, kFewestParts), count);
}

LinearSearch::Found LinearSearch::solved(const train::LinearProblem& problem, double l2,
                                         std::vector<train::LinearWeights> start) const
{
    Found found{.l2 = l2, .scores = Scores(m_folds.size()), .weights = std::move(start)};
    found.weights.resize(m_folds.size());
    // Folds are solved side by side, each by one thread.
    m_pool.parallelFor(static_cast<std::int64_t>(m_folds.size()), [&](std::int64_t block, int) {
        const auto i = static_cast<std::size_t>(block);
        found.weights[i] = train::solveLinear(problem, m_folds[i].learned, l2,
                                              std::move(found.weights[i]), kComparable);
        found.scores[i] = meanLossOn(problem, m_folds[i], found.weights[i]);
    });
    return found;
}

double LinearSearch::guess(const train::LinearProblem& problem) const
{
    train::LinearProblem empty = problem;
    // Without columns only the bias is left.
    empty.rows = {.rowBegins = std::vector<std::int64_t>(static_cast<std::size_t>(m_rows) + 1)};
    return mean(solved(empty, 0, {}).scores);
}

LinearSearch::Found LinearSearch::bestStrength(const LinearTable& table) const
{
    const train::LinearProblem& problem = table.simpler();
    // Weights and offsets have no closed form here.
    const bool isRidge = problem.loss == train::LinearLoss::Squares && problem.rowWeights.empty() &&
                         problem.offsets.empty();
    return isRidge && table.turned() ? solved(problem, bestRidge(*table.turned(), problem), {})
                                     : alongThePath(problem);
}

/// Every other strength from the strongest on, then the neighbours of the best.
LinearSearch::Found LinearSearch::alongThePath(const train::LinearProblem& problem) const
{
    std::map<int, Found> tried;
    const bool isClasses = problem.loss != train::LinearLoss::Squares;
    const int end = isClasses ? kStrengthsOfClasses : kStrengths;
    std::vector<train::LinearWeights> last;
    const auto tryAt = [&](int index) {
        if (tried.count(index) == 0 && index >= 0 && index < end) {
            // Each solution starts at that of the strength before.
            tried[index] = solved(problem, strengthAt(problem.loss, index), last);
            last = tried[index].weights;
        }
    };
    const auto best = [&] {
        return std::min_element(tried.begin(), tried.end(),
                                [](const auto& a, const auto& b) {
                                    return mean(a.second.scores) < mean(b.second.scores);
                                })
            ->first;
    };
    int farthest = 0;
    for (int index = 0; index < end && index <= farthest; index += 2) {
        tryAt(index);
        // The end moves on with the best one.
        farthest = best() + 2 * kWorseInARow;
    }
    const int coarse = best();
    tryAt(coarse - 1);
    tryAt(coarse + 1);
    int chosen = best();
    if (isClasses) {
        tryAt(kUsual);
        // The usual strength stays unless another one is better beyond chance.
        if (!isClearlyBetter(tried[chosen].scores, tried[kUsual].scores, kBeyondChance)) {
            chosen = kUsual;
        }
    }
    return std::move(tried[chosen]);
}

/// By the number of groups, as in kCounts; shorter if some fold has fewer groups.
std::vector<Scores> LinearSearch::selectionScores(const train::LinearProblem& problem,
                                                  const train::ColumnGroups& groups,
                                                  double l2) const
{
    std::vector<std::vector<double>> losses(m_folds.size());
    m_pool.parallelFor(static_cast<std::int64_t>(m_folds.size()), [&](std::int64_t block, int) {
        const Fold& fold = m_folds[static_cast<std::size_t>(block)];
        for (const train::SelectedGroup& selected :
             train::selectForward(problem, fold.learned, groups, kMostGroups, l2)) {
            losses[static_cast<std::size_t>(block)].push_back(
                meanLossOn(problem, fold, selected.weights));
        }
    });
    std::vector<Scores> all;
    for (const std::size_t count : kCounts) {
        Scores scores;
        for (const std::vector<double>& ofFold : losses) {
            if (ofFold.size() >= count) {
                scores.push_back(ofFold[count - 1]);
            }
        }
        // A count that some fold could not reach cannot be compared.
        if (scores.size() == m_folds.size()) {
            all.push_back(std::move(scores));
        }
    }
    return all;
}

std::vector<LinearSearch::Selected> LinearSearch::select(const train::LinearProblem& problem,
                                                         const train::ColumnGroups& groups) const
{
    const double work = static_cast<double>(problem.rows.values.size()) *
                        static_cast<double>(problem.units) * kPassesOfSelection *
                        static_cast<double>(m_folds.size());
    if (groups.count < kFewestGroups || work > kMostSelectionWork || m_rows > kMostRowsToSelect ||
        m_folds.size() < 2) {
        return {};
    }
    const double l2 = problem.loss == train::LinearLoss::Squares ? 1 : kUnitOfClasses;
    const std::vector<Scores> scores = selectionScores(problem, groups, l2);
    const auto best = static_cast<std::size_t>(
        std::min_element(scores.begin(), scores.end(),
                         [](const Scores& a, const Scores& b) { return mean(a) < mean(b); }) -
        scores.begin());
    // A second, larger selection, should the best one be too small.
    const std::size_t wanted = std::max(2 * kCounts[best], groups.count / kPartOfMore);
    std::size_t more = best;
    while (more + 1 < scores.size() && kCounts[more] < wanted) {
        ++more;
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(m_rows));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<train::SelectedGroup> order =
        train::selectForward(problem, all, groups, kCounts[more], l2);
    std::vector<Selected> found;
    for (const std::size_t which : {best, more}) {
        // All columns are not a selection.
        if (kCounts[which] < groups.count && (found.empty() || which != best)) {
            Selected& selected = found.emplace_back();
            selected.scores = scores[which];
            for (std::size_t i = 0; i < std::min(kCounts[which], order.size()); ++i) {
                selected.groups.push_back(order[i].group);
            }
        }
    }
    return found;
}

} // namespace cannery::advice
