// SPDX-License-Identifier: Apache-2.0
#include "core/graph/initializers.h"
#include "core/plan/weights/initial_values.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace cannery;

class TstInitialValues : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areAFunctionOfSeedNameAndElement();
    void differWithSeedAndName();
    void followTheirDistributions();
    void scaleWithTheInputs_data();
    void scaleWithTheInputs();
    void takeConstantsRowByRow();
    void preferTheInitializersOwnSeed();
    void areOrthogonalForRecurrentKernels_data();
    void areOrthogonalForRecurrentKernels();
    void openTheForgetGate();
};

namespace {

std::vector<float> draw(const spec::Initializer& initializer, const Shape& shape,
                        const char* name = "v", std::uint64_t seed = 1)
{
    const graph::Variable variable{.name = name, .shape = shape, .initializer = initializer};
    std::vector<float> values(static_cast<std::size_t>(shape.elementCount()));
    plan::drawInitialValues(variable, seed, values);
    return values;
}

double deviation(const std::vector<float>& values)
{
    const double count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    return std::sqrt(squares / count - mean * mean);
}

float largest(const std::vector<float>& values)
{
    return std::abs(*std::max_element(values.begin(), values.end(), [](float left, float right) {
        return std::abs(left) < std::abs(right);
    }));
}

} // namespace

void TstInitialValues::areAFunctionOfSeedNameAndElement()
{
    const graph::Variable variable{
        .name = "v", .shape = {10, 10}, .initializer = graph::truncatedNormal(1.0)};
    const std::vector<float> whole = draw(variable.initializer, variable.shape);
    std::vector<float> part(30);
    plan::drawInitialValues(variable, 1, part, 50);
    QVERIFY(std::equal(part.begin(), part.end(), whole.begin() + 50));
    QCOMPARE(draw(variable.initializer, variable.shape), whole);
}

void TstInitialValues::differWithSeedAndName()
{
    const std::vector<float> values = draw(graph::glorotUniform(), {4, 4});
    QVERIFY(values != draw(graph::glorotUniform(), {4, 4}, "v", 2));
    QVERIFY(values != draw(graph::glorotUniform(), {4, 4}, "w", 1));
}

void TstInitialValues::followTheirDistributions()
{
    const double limit = std::sqrt(6.0 / 300.0);
    const std::vector<float> glorot = draw(graph::glorotUniform(), {100, 200});
    QVERIFY(largest(glorot) <= limit && largest(glorot) > 0.99 * limit);
    QVERIFY(std::abs(deviation(glorot) - limit / std::sqrt(3.0)) < 0.01 * limit);
    const std::vector<float> truncated = draw(graph::truncatedNormal(0.5), {100, 200});
    QVERIFY(largest(truncated) <= 1.0F && largest(truncated) > 0.98F);
    QVERIFY(std::abs(deviation(truncated) - 0.5 * 0.8796) < 0.01);
    spec::Initializer normal;
    normal.mutable_random_normal()->set_mean(3.0);
    normal.mutable_random_normal()->set_stddev(2.0);
    QVERIFY(std::abs(deviation(draw(normal, {100, 200})) - 2.0) < 0.04);
    spec::Initializer glorotNormal;
    glorotNormal.mutable_glorot_normal();
    QVERIFY(std::abs(deviation(draw(glorotNormal, {100, 200})) - std::sqrt(2.0 / 300.0)) < 0.002);
    QCOMPARE(draw(graph::ones(), {3}), (std::vector<float>{1.0F, 1.0F, 1.0F}));
}

void TstInitialValues::scaleWithTheInputs_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<double>("variance"); // times the number of inputs
    QTest::addColumn<bool>("isUniform");
    QTest::newRow("he_uniform") << "he_uniform" << 2.0 << true;
    QTest::newRow("he_normal") << "he_normal" << 2.0 << false;
    QTest::newRow("lecun_uniform") << "lecun_uniform" << 1.0 << true;
    QTest::newRow("lecun_normal") << "lecun_normal" << 1.0 << false;
}

/// 3 * 3 pixels of 20 channels are 180 inputs: as in Keras.
void TstInitialValues::scaleWithTheInputs()
{
    QFETCH(QString, kind);
    QFETCH(double, variance);
    QFETCH(bool, isUniform);
    spec::Initializer initializer;
    QVERIFY(
        google::protobuf::TextFormat::ParseFromString(kind.toStdString() + " {}", &initializer));
    const std::vector<float> values = draw(initializer, {3, 3, 20, 200});
    const double expected = std::sqrt(variance / 180.0);
    QVERIFY(std::abs(deviation(values) - expected) < 0.02 * expected);
    const double limit =
        isUniform ? expected * std::sqrt(3.0) : 2.0 * expected / 0.87962566103423978;
    QVERIFY(largest(values) <= limit * (1.0 + 1e-6) && largest(values) > 0.98 * limit);
}

void TstInitialValues::takeConstantsRowByRow()
{
    spec::Initializer constant;
    constant.mutable_constant()->add_value(1.5);
    QCOMPARE(draw(constant, {3}), (std::vector<float>{1.5F, 1.5F, 1.5F}));
    constant.mutable_constant()->add_value(2.5);
    QCOMPARE(draw(constant, {1, 2}), (std::vector<float>{1.5F, 2.5F}));
}

void TstInitialValues::preferTheInitializersOwnSeed()
{
    spec::Initializer initializer = graph::glorotUniform();
    initializer.mutable_glorot_uniform()->set_seed(5);
    QCOMPARE(draw(initializer, {4, 4}, "v", 1), draw(initializer, {4, 4}, "v", 2));
}

void TstInitialValues::areOrthogonalForRecurrentKernels_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("cols");
    QTest::newRow("square") << 30 << 30;
    QTest::newRow("wide") << 12 << 48;
    QTest::newRow("tall") << 20 << 5;
}

void TstInitialValues::areOrthogonalForRecurrentKernels()
{
    QFETCH(int, rows);
    QFETCH(int, cols);
    const graph::Variable variable{
        .name = "v", .shape = {rows, cols}, .initializer = graph::orthogonal()};
    std::vector<float> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    plan::drawInitialValues(variable, 1, values);
    const auto at = [&](int line, int element) {
        const int index = rows < cols ? line * cols + element : element * cols + line;
        return static_cast<double>(values[static_cast<std::size_t>(index)]);
    };
    for (int left = 0; left < std::min(rows, cols); ++left) {
        for (int right = 0; right <= left; ++right) {
            double product = 0;
            for (int element = 0; element < std::max(rows, cols); ++element) {
                product += at(left, element) * at(right, element);
            }
            QVERIFY(std::abs(product - (left == right ? 1.0 : 0.0)) < 1e-6);
        }
    }
    std::vector<float> part(7);
    plan::drawInitialValues(variable, 1, part, 11);
    QVERIFY(std::equal(part.begin(), part.end(), values.begin() + 11));
}

void TstInitialValues::openTheForgetGate()
{
    const graph::Variable variable{.name = "v",
                                   .shape = {8},
                                   .initializer = graph::zeros(),
                                   .pattern = graph::InitialPattern::ForgetGateOpen};
    std::vector<float> values(8);
    plan::drawInitialValues(variable, 1, values);
    QCOMPARE(values, (std::vector<float>{0, 0, 1, 1, 0, 0, 0, 0}));
}

CANNERY_TEST(TstInitialValues)
#include "tst_initial_values.moc"
