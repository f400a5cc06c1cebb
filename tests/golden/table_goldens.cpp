// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/table_goldens.h"

#include "core/graph/initializers.h"
#include "core/graph/weight_rules.h"
#include "core/plan/weights/initial_values.h"
#include "core/plan/weights/weight_constraint.h"
#include "core/plan/weights/weight_penalty.h"
#include "tests/golden/keras_layers/weights.h"

#include <QTest>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numeric>
#include <string>

namespace cannery::tests {

namespace fs = std::filesystem;

namespace {

using Table = nlohmann::json;
using Sentences = std::vector<std::string>;

constexpr std::array<const char*, 3> kTables{"constraints", "initializers", "regularizers"};
constexpr double kTolerance = 2e-6;
/// What is left of a normal distribution's deviation between -2 and 2 of it.
constexpr double kCutDeviation = 0.87962566103423978;

fs::path fileOf(const fs::path& folder, const char* table)
{
    return folder / "tables" / fmt::format("{}.json", table);
}

Shape shapeOf(const Table& tensor)
{
    return Shape(tensor["shape"].get<std::vector<std::int64_t>>());
}

std::vector<float> numbersOf(const Table& tensor)
{
    return tensor["values"].get<std::vector<float>>();
}

bool isClose(double actual, double expected, double tolerance = kTolerance)
{
    return std::abs(actual - expected) <= tolerance * (1.0 + std::abs(expected));
}

void expectNumbers(const std::string& what, const std::vector<float>& actual,
                   const std::vector<float>& expected, Sentences& differences)
{
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (i >= actual.size() || !isClose(actual[i], expected[i])) {
            differences.push_back(fmt::format("{}[{}] is {}, not {}", what, i,
                                              i < actual.size() ? actual[i] : 0.0F, expected[i]));
            return;
        }
    }
}

void comparePenalty(const Table& row, Sentences& differences)
{
    const std::string name = row["class"];
    const auto regularizer = regularizerOf(row);
    const Shape shape = shapeOf(row["value"]);
    if (!regularizer || !graph::checkRegularizer(*regularizer, shape)) {
        differences.push_back(name + " is not one of ours");
        return;
    }
    const std::vector<float> values = numbersOf(row["value"]);
    kernels::ThreadPool pool(2);
    plan::WeightPenalty penalty(*regularizer, shape);
    std::vector<float> gradient(values.size());
    const double found = penalty.compute(pool, values, gradient);
    if (!isClose(found, row["penalty"].get<double>())) {
        differences.push_back(
            fmt::format("{} is {}, not {}", name, found, row["penalty"].get<double>()));
    }
    expectNumbers(name + "'s gradient", gradient, numbersOf(row["gradient"]), differences);
}

void compareConstraint(const Table& row, Sentences& differences)
{
    const std::string name = row["class"];
    const auto constraint = constraintOf(row);
    const Shape shape = shapeOf(row["before"]);
    if (!constraint || !graph::checkConstraint(*constraint, shape)) {
        differences.push_back(name + " is not one of ours");
        return;
    }
    std::vector<float> values = numbersOf(row["before"]);
    plan::WeightConstraint(*constraint, shape).apply(values);
    expectNumbers(name, values, numbersOf(row["after"]), differences);
}

void compareFans(const Table& row, Sentences& differences)
{
    const graph::Fans fans = graph::fansOf(shapeOf(row));
    if (fans.in != row["fan_in"].get<double>() || fans.out != row["fan_out"].get<double>()) {
        differences.push_back(fmt::format("{} of {} has the fans {} and {}",
                                          row["weight"].get<std::string>(),
                                          row["class"].get<std::string>(), fans.in, fans.out));
    }
}

/// Numbers drawn by a rule: their range, which a draw of this many nearly fills, their mean and
/// their deviation, within what chance makes of them.
class DrawnNumbers
{
public:
    explicit DrawnNumbers(const std::vector<float>& values)
        : m_count(static_cast<double>(values.size())),
          m_mean(std::accumulate(values.begin(), values.end(), 0.0) / m_count)
    {
        double squares = 0.0;
        for (const float value : values) {
            squares += (value - m_mean) * (value - m_mean);
            m_least = std::min(m_least, double{value});
            m_most = std::max(m_most, double{value});
        }
        m_deviation = std::sqrt(squares / m_count);
    }

    bool fill(double least, double most) const
    {
        const double slack = 0.03 * (most - least);
        const double rounding = 1e-6 * (most - least);
        return m_least >= least - rounding && m_least <= least + slack &&
               m_most <= most + rounding && m_most >= most - slack;
    }
    /// Five standard errors: of a mean, and of a deviation (less for limited distributions).
    bool are(double mean, double deviation) const
    {
        return std::abs(m_mean - mean) <= 5 * deviation / std::sqrt(m_count) &&
               std::abs(m_deviation - deviation) <= 5 * deviation / std::sqrt(2 * m_count);
    }

private:
    double m_count;
    double m_mean;
    double m_deviation = 0.0;
    double m_least = 1e30;
    double m_most = -1e30;
};

/// Of a matrix of all dimensions but the last by the last: the largest difference of a product of
/// two of the fewer lines from that of orthogonal ones of this length.
double departureFromOrthogonal(const std::vector<float>& values, const Shape& shape, double length)
{
    const auto cols = static_cast<std::size_t>(shape.dims.back());
    const std::size_t rows = values.size() / cols;
    const bool isWide = rows < cols;
    const auto at = [&](std::size_t line, std::size_t element) {
        return double{isWide ? values[line * cols + element] : values[element * cols + line]};
    };
    double worst = 0.0;
    for (std::size_t left = 0; left < std::min(rows, cols); ++left) {
        for (std::size_t right = 0; right <= left; ++right) {
            double product = left == right ? -length * length : 0.0;
            for (std::size_t element = 0; element < std::max(rows, cols); ++element) {
                product += at(left, element) * at(right, element);
            }
            worst = std::max(worst, std::abs(product));
        }
    }
    return worst;
}

bool followsRule(const Table& rule, const std::vector<float>& values, const Shape& shape)
{
    const std::string distribution = rule["distribution"];
    const DrawnNumbers drawn(values);
    if (distribution == "orthogonal") {
        const double gain = rule["gain"];
        return departureFromOrthogonal(values, shape, gain) <= 1e-6 * gain * gain;
    }
    if (distribution == "uniform") {
        const double most = rule.contains("limit") ? rule["limit"] : rule["maxval"];
        const double least = rule.contains("limit") ? -most : rule["minval"].get<double>();
        return drawn.fill(least, most) &&
               drawn.are((least + most) / 2, (most - least) / std::sqrt(12.0));
    }
    const double mean = rule.value("mean", 0.0);
    const double deviation = rule["stddev"];
    if (distribution == "normal") {
        return drawn.are(mean, deviation);
    }
    return drawn.fill(mean - 2 * deviation, mean + 2 * deviation) &&
           drawn.are(mean, deviation * kCutDeviation);
}

void compareInitializer(const Table& row, Sentences& differences)
{
    const std::string name = row["class"];
    const auto initializer = initializerOf(row);
    const Shape shape = shapeOf(row);
    if (!initializer || !graph::checkInitializer(*initializer, shape)) {
        differences.push_back(name + " is not one of ours");
        return;
    }
    const graph::Variable variable{.name = "weight", .shape = shape, .initializer = *initializer};
    std::vector<float> values(static_cast<std::size_t>(shape.elementCount()));
    plan::drawInitialValues(variable, 1, values);
    if (row.contains("value")) {
        expectNumbers(name, values, numbersOf(row["value"]), differences);
    } else if (!followsRule(row["rule"], values, shape)) {
        differences.push_back(fmt::format("{} of shape {} does not follow {}", name,
                                          shape.toString(), row["rule"].dump()));
    }
}

} // namespace

bool TableGoldens::isFor(const fs::path& folder)
{
    return std::ranges::any_of(
        kTables, [&](const char* table) { return fs::exists(fileOf(folder, table)); });
}

void TableGoldens::followsKeras_data()
{
    QTest::addColumn<QString>("file");
    for (const fs::path& folder : m_folders) {
        for (const char* table : kTables) {
            if (const fs::path file = fileOf(folder, table); fs::exists(file)) {
                QTest::newRow(table) << QString::fromStdString(file.string());
            }
        }
    }
}

void TableGoldens::followsKeras()
{
    QFETCH(QString, file);
    const fs::path path = file.toStdString();
    std::ifstream stream(path);
    const Table table = Table::parse(stream);
    const std::string name = path.stem().string();
    const auto compare = name == "constraints"    ? compareConstraint
                         : name == "regularizers" ? comparePenalty
                                                  : compareInitializer;
    Sentences differences;
    for (const Table& row : table["cases"]) {
        compare(row, differences);
    }
    for (const Table& row : table.value("fans", Table::array())) {
        compareFans(row, differences);
    }
    QVERIFY(!table["cases"].empty());
    QVERIFY2(differences.empty(), fmt::format("{}", fmt::join(differences, "\n")).c_str());
}

} // namespace cannery::tests
