// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cells.h"
#include "core/plan/last_step.h"
#include "kernels/device/random.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <map>

using namespace cannery;
using namespace cannery::tests;

class TstCells : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bitsAreThoseOfTensorsOfTheirOwn_data();
    void bitsAreThoseOfTensorsOfTheirOwn();
    void threadsLookUpColumnsWithTheSameBits_data();
    void threadsLookUpColumnsWithTheSameBits();
    void stateIsRestored();
    void onlySomeTablesHaveThem_data();
    void onlySomeTablesHaveThem();
};

namespace {

constexpr std::int64_t kFewer = plan::kFewestCells - 1;
constexpr std::int64_t kWideRows = 64;
constexpr const char* kOneWeights = "linear/linear_model/one/weights";
constexpr const char* kManyWeights = "linear/linear_model/many/weights";
constexpr const char* kSparseFtrl = "ftrl { learning_rate: 0.1 l1_regularization_strength: 0.02 }";

/// The columns "one" and "many" have so many categories.
graph::LoweredModel wideModel(const std::string& optimizer, std::int64_t categories,
                              const std::string& columns = "'one', 'many', 'x'")
{
    auto lowered = toyLowered("linear_classifier { feature_columns: [" + columns +
                              "] optimizer { " + optimizer + " } }");
    CANNERY_CHECK(lowered.has_value());
    for (graph::Variable& variable : lowered->graph.variables) {
        if (variable.name == kOneWeights || variable.name == kManyWeights) {
            variable.shape.dims[0] = categories;
        }
    }
    return *std::move(lowered);
}

std::unique_ptr<plan::Model> wideModelWith(graph::LoweredModel lowered,
                                           const plan::ModelOptions& options)
{
    auto model = plan::Model::create(std::move(lowered), options);
    CANNERY_CHECK(model.has_value());
    return *std::move(model);
}

/// Ids from all over a table, some of them often.
features::EncodedRows wideRows(std::uint64_t seed)
{
    features::EncodedRows rows = toyRows(kWideRows, seed);
    kernels::RandomStream random(seed);
    for (features::IdBlock& block : rows.ids) {
        for (std::int32_t& id : block.ids) {
            const bool isOften = random.nextBelow(2) == 0;
            const std::uint64_t drawn = random.nextBelow(isOften ? 9 : kFewer);
            id = id < 0 ? id : static_cast<std::int32_t>(drawn);
        }
    }
    return rows;
}

/// The content of every tensor, of tables without the rows that only the larger ones have.
std::map<std::string, std::vector<std::byte>> contentsOf(plan::Model& model)
{
    std::map<std::string, std::vector<std::byte>> all;
    for (const plan::StateTensor& tensor : model.state()) {
        std::vector<std::byte> room;
        const std::span<const std::byte> content = tensor.content(room);
        all[tensor.name].assign(content.begin(),
                                content.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                      content.size(), kFewer * sizeof(float))));
    }
    return all;
}

bool hasCells(plan::Model& model, const std::string& name)
{
    for (const plan::StateTensor& tensor : model.state()) {
        if (tensor.name == name) {
            return tensor.bytes.empty() && tensor.cells.rows == tensor.shape.dims[0];
        }
    }
    return false;
}

double zeroFraction(plan::Model& model)
{
    for (const plan::ModelSummary& summary : model.lastStep().summaries()) {
        if (summary.tag.find("fraction_of_zero_weights") != std::string::npos) {
            return summary.scalar;
        }
    }
    return -1;
}

/// As zeroFraction(), counted in the state.
double countedZeroFraction(plan::Model& model)
{
    double zeros = 0;
    double all = 0;
    std::vector<std::byte> room;
    for (const plan::StateTensor& tensor : model.state()) {
        if (!tensor.trainable || tensor.name.find("/weights") == std::string::npos) {
            continue;
        }
        const auto content = tensor.content(room);
        const std::span values(reinterpret_cast<const float*>(content.data()),
                               content.size() / sizeof(float));
        zeros += static_cast<double>(std::ranges::count(values, 0.0F));
        all += static_cast<double>(values.size());
    }
    return zeros / all;
}

} // namespace

void TstCells::bitsAreThoseOfTensorsOfTheirOwn_data()
{
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<int>("threads");
    for (const char* optimizer :
         {kSparseFtrl, "adagrad { learning_rate: 0.1 }", "sgd { learning_rate: 0.1 momentum: 0.9 }",
          "adadelta { learning_rate: 1 }", "adamax { learning_rate: 0.1 }",
          "rmsprop { learning_rate: 0.1 momentum: 0.5 centered: true }"}) {
        for (const int threads : {1, 3}) {
            QTest::addRow("%s %d", optimizer, threads) << optimizer << threads;
        }
    }
}

void TstCells::bitsAreThoseOfTensorsOfTheirOwn()
{
    QFETCH(QString, optimizer);
    QFETCH(int, threads);
    const auto cells = wideModelWith(wideModel(optimizer.toStdString(), plan::kFewestCells),
                                     {.maxBatchSize = kWideRows, .threads = threads});
    const auto plain = wideModelWith(wideModel(optimizer.toStdString(), kFewer),
                                     {.maxBatchSize = kWideRows, .threads = 1});
    QVERIFY(hasCells(*cells, kOneWeights));
    QVERIFY(hasCells(*cells, kManyWeights));
    QVERIFY(!hasCells(*plain, kOneWeights));
    const auto before = contentsOf(*cells);
    QVERIFY(before == contentsOf(*plain));
    for (int step = 0; step < 10; ++step) {
        const features::EncodedRows rows = wideRows(static_cast<std::uint64_t>(step));
        QCOMPARE(cells->train(rows, step), plain->train(rows, step));
        const double fraction = zeroFraction(*cells);
        QVERIFY(fraction > 0.9 && fraction < 1.0);
        QVERIFY(std::abs(fraction - countedZeroFraction(*cells)) < 1e-6);
    }
    const auto after = contentsOf(*cells);
    QVERIFY(after == contentsOf(*plain));
    QVERIFY(after.at(kOneWeights) != before.at(kOneWeights));
    QCOMPARE(cells->state().size(), plain->state().size());
}

void TstCells::threadsLookUpColumnsWithTheSameBits_data()
{
    QTest::addColumn<bool>("isPlain");
    QTest::newRow("an id in each row") << true;
    QTest::newRow("a row without an id") << false;
}

/// A batch large enough for threads, of columns that all have an id in each row, or nearly.
void TstCells::threadsLookUpColumnsWithTheSameBits()
{
    QFETCH(bool, isPlain);
    constexpr std::int64_t kRows = 1500;
    const auto trained = [&](int threads) {
        const auto model =
            wideModelWith(wideModel(kSparseFtrl, plan::kFewestCells, "'one', 'many'"),
                          {.maxBatchSize = kRows, .threads = threads});
        for (int step = 0; step < 4; ++step) {
            features::EncodedRows rows = toyRows(kRows, 1);
            kernels::RandomStream random(static_cast<std::uint64_t>(step));
            for (features::IdBlock& block : rows.ids) {
                block = {.rowOffsets = {0}};
                for (std::int64_t row = 0; row < kRows; ++row) {
                    if (isPlain || row != kRows / 2) {
                        block.ids.push_back(static_cast<std::int32_t>(random.nextBelow(kFewer)));
                    }
                    block.rowOffsets.push_back(static_cast<std::int64_t>(block.ids.size()));
                }
            }
            model->train(rows, step);
        }
        return contentsOf(*model);
    };
    QVERIFY(trained(1) == trained(3));
}

void TstCells::stateIsRestored()
{
    const plan::ModelOptions options{.maxBatchSize = kWideRows};
    const auto first = wideModelWith(wideModel(kSparseFtrl, plan::kFewestCells), options);
    for (int step = 0; step < 3; ++step) {
        first->train(wideRows(static_cast<std::uint64_t>(step)), step);
    }
    const auto second = wideModelWith(wideModel(kSparseFtrl, plan::kFewestCells), options);
    const std::vector<plan::StateTensor> from = first->state();
    const std::vector<plan::StateTensor> to = second->state();
    QCOMPARE(to.size(), from.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
        const auto copy = [&](std::span<std::byte> bytes) {
            from[i].read(0, bytes);
            return Result<void>();
        };
        VERIFY_OK(to[i].write(copy));
    }
    QVERIFY(contentsOf(*first) == contentsOf(*second));
    QCOMPARE(first->train(wideRows(7), 3), second->train(wideRows(7), 3));
    QVERIFY(contentsOf(*first) == contentsOf(*second));

    const auto refuse = [](std::span<std::byte> bytes) {
        std::ranges::fill(bytes, std::byte{1});
        return Result<void>(tl::make_unexpected(Error{}));
    };
    const auto table = std::ranges::find(to, std::string(kOneWeights), &plan::StateTensor::name);
    QVERIFY(!table->write(refuse).has_value());
    QVERIFY(contentsOf(*first) == contentsOf(*second));
}

void TstCells::onlySomeTablesHaveThem_data()
{
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<qint64>("categories");
    QTest::addColumn<bool>("training");
    QTest::addColumn<qint64>("floats");
    const qint64 most = plan::kFewestCells;
    QTest::newRow("ftrl") << kSparseFtrl << most << true << qint64{3};
    QTest::newRow("adagrad") << "adagrad {}" << most << true << qint64{2};
    QTest::newRow("small table") << kSparseFtrl << most - 1 << true << qint64{0};
    QTest::newRow("no training") << kSparseFtrl << most << false << qint64{0};
    QTest::newRow("no slots") << "sgd { learning_rate: 0.1 }" << most << true << qint64{0};
    QTest::newRow("every row moves") << "adam {}" << most << true << qint64{0};
    QTest::newRow("averages") << "ftrl {} moving_average_decay: 0.9" << most << true << qint64{0};
}

void TstCells::onlySomeTablesHaveThem()
{
    QFETCH(QString, optimizer);
    QFETCH(qint64, categories);
    QFETCH(bool, training);
    QFETCH(qint64, floats);
    const graph::LoweredModel lowered = wideModel(optimizer.toStdString(), categories);
    const auto sizes = plan::cellSizes(lowered, {.training = training});
    VERIFY_OK(sizes);
    QCOMPARE(sizes->size(), lowered.graph.variables.size());
    for (std::size_t i = 0; i < sizes->size(); ++i) {
        const std::string& name = lowered.graph.variables[i].name;
        QCOMPARE((*sizes)[i], name == kOneWeights || name == kManyWeights ? floats : 0);
    }
}

CANNERY_TEST(TstCells)
#include "tst_cells.moc"
