// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/verified_export.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/io/text_checksum.h"
#include "tests/app/predict_library/model_calls.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

using namespace cannery;
using namespace cannery::tests;

class TstPredicting : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theModelSaysWhatItReadsAndPredicts();
    void everyFormOfAModelGivesTheSameBits();
    void exportsNeedNothingOfTheirRun_data();
    void exportsNeedNothingOfTheirRun();
    void manyRowsGiveTheBitsOfEachAlone();
    void theFirstWrongRowIsNamed();
    void aRequestOutlivesItsModel();
    void wrongCellsAreRefused();
    void wrongArgumentsAreRefused();
    void integersOfAnySizeAreExact();
    void onlyOneChoiceOfACheckpoint();
    void foreignAndChangedExportsAreRefused();
    void modelsOfStepsAreRefused();
    void warmPredictionsAllocateNothing();

private:
    static std::string idOf(const std::string& path);
    static std::string exported(const TrainingFixture& fixture);

    TrainingFixture m_fixture;
    std::string m_export;
    ModelHandle m_model;
};

/// The id of the error that opening a model gives.
std::string TstPredicting::idOf(const std::string& path)
{
    return openHandle(path) == nullptr ? cannery_error_id() : "";
}

std::string TstPredicting::exported(const TrainingFixture& fixture)
{
    auto model = train::openModel({.modelDir = fixture.modelDir(), .threads = 1});
    if (!model) {
        return model.error().message();
    }
    const auto made = train::exportVerified(
        *model, {.exportBase = fixture.path("served"), .checkpoint = model->checkpoint});
    return made ? made->path : made.error().message();
}

void TstPredicting::initTestCase()
{
    VERIFY_OK(
        m_fixture.train("train_spec { max_steps: 20 } data { column { name: \"x\" "
                        "missing_token: \"?\" } } run_config { save_checkpoints_steps: 10 }"));
    m_export = exported(m_fixture);
    m_model = openHandle(m_fixture.modelDir());
    QVERIFY2(m_model != nullptr, cannery_error_message());
}

void TstPredicting::theModelSaysWhatItReadsAndPredicts()
{
    QCOMPARE(cannery_predict_api(), CANNERY_PREDICT_API);
    QCOMPARE(cannery_model_global_step(m_model.get()), std::int64_t{20});
    QStringList inputs;
    for (std::size_t i = 0; i < cannery_model_input_count(m_model.get()); ++i) {
        const char* name = nullptr;
        cannery_type type = CANNERY_INT32;
        std::size_t count = 0;
        QCOMPARE(cannery_model_input(m_model.get(), i, &name, &type, &count), CANNERY_OK);
        inputs << QString("%1 %2 %3").arg(name).arg(type).arg(count);
    }
    inputs.sort();
    QCOMPARE(inputs, QStringList({"c 7 1", "x 1 1"}));
    QStringList outputs;
    for (std::size_t i = 0; i < cannery_model_output_count(m_model.get()); ++i) {
        const char* name = nullptr;
        cannery_type type = CANNERY_INT32;
        std::size_t count = 0;
        QCOMPARE(cannery_model_output(m_model.get(), i, &name, &type, &count), CANNERY_OK);
        outputs << QString("%1 %2 %3").arg(name).arg(type).arg(count);
    }
    QCOMPARE(outputs,
             QStringList({"logits 1 1", "logistic 1 1", "probabilities 1 2", "class_ids 9 1",
                          "classes 7 1", "all_class_ids 3 2", "all_classes 7 2"}));
}

void TstPredicting::everyFormOfAModelGivesTheSameBits()
{
    auto engine = train::openModel({.modelDir = m_fixture.modelDir(), .threads = 1});
    VERIFY_OK(engine);
    const auto expected = expectedBits(*engine, 12);
    QCOMPARE(expected.size(), std::size_t{12});
    for (const std::string& path :
         {m_fixture.modelDir(), m_fixture.modelDir() + "/model.ckpt-20", m_export}) {
        const ModelHandle model = openHandle(path);
        QVERIFY2(model != nullptr, cannery_error_message());
        const RequestHandle request = requestOf(model);
        for (int row = 0; row < 12; ++row) {
            QCOMPARE(setRow(model, request.get(), tableRow(row)), CANNERY_OK);
            QCOMPARE(cannery_request_predict(request.get()), CANNERY_OK);
            QCOMPARE(bitsOf(model, request.get()), expected[static_cast<std::size_t>(row)]);
        }
    }
    const ModelHandle older = openHandle(m_fixture.modelDir() + "/model.ckpt-10");
    QCOMPARE(cannery_model_global_step(older.get()), std::int64_t{10});
}

void TstPredicting::exportsNeedNothingOfTheirRun_data()
{
    QTest::addColumn<std::string>("more");
    const std::string steps = "train_spec { max_steps: 15 } ";
    QTest::newRow("moving averages")
        << steps + "estimator { dnn_linear_combined_classifier { dnn_optimizer { adam {} "
                   "moving_average_decay: 0.9 } } }";
    QTest::newRow("trees")
        << steps + "estimator { boosted_trees_classifier { feature_columns: [\"x_buckets\", "
                   "\"c_indicator\"] n_batches_per_layer: 1 n_trees: 4 } } "
                   "feature_column { name: \"x_raw\" numeric_column { key: \"x\" } } "
                   "feature_column { name: \"x_buckets\" bucketized_column { source_column: "
                   "\"x_raw\" boundaries: [2, 5, 8] } } feature_column { name: \"c_indicator\" "
                   "indicator_column { categorical_column: \"c\" } }";
    QTest::newRow("a vocabulary file")
        << steps + "feature_column { name: \"words\" categorical_column_with_vocabulary_file { "
                   "key: \"c\" vocabulary_file: \"words.txt\" num_oov_buckets: 2 } } "
                   "feature_column { name: \"x_raw\" numeric_column { key: \"x\" } } "
                   "estimator { linear_classifier { feature_columns: [\"words\", \"x_raw\"] } }";
    QTest::newRow("groups") << steps + "data { label {} } feature_column { name: \"x_raw\" "
                                       "numeric_column { key: \"x\" } } estimator { kmeans { "
                                       "feature_columns: [\"x_raw\"] num_clusters: 3 } }";
}

void TstPredicting::exportsNeedNothingOfTheirRun()
{
    QFETCH(std::string, more);
    TrainingFixture fixture;
    std::ofstream(fixture.path("words.txt")) << "b\na\n";
    const auto trained = fixture.train(more);
    VERIFY_OK(trained);
    auto engine = train::openModel({.modelDir = fixture.modelDir(), .threads = 1});
    VERIFY_OK(engine);
    const auto expected = expectedBits(*engine, 7);
    const std::string path = exported(fixture);
    for (const char* name : {"model", "words.txt", "train.csv", "eval.csv"}) {
        std::filesystem::remove_all(fixture.path(name));
    }
    const ModelHandle model = openHandle(path);
    QVERIFY2(model != nullptr, cannery_error_message());
    const RequestHandle request = requestOf(model);
    std::size_t x = 0;
    std::size_t c = 0;
    QCOMPARE(cannery_model_find_input(model.get(), "x", &x), CANNERY_OK);
    const bool readsCategory = cannery_model_find_input(model.get(), "c", &c) == CANNERY_OK;
    for (int row = 0; row < 7; ++row) {
        const TableRow cells = tableRow(row);
        cannery_request_set_number(request.get(), x, cells.x);
        if (readsCategory) {
            cannery_request_set_text(request.get(), c, cells.c.data(), cells.c.size());
        }
        QVERIFY2(cannery_request_predict(request.get()) == CANNERY_OK, cannery_error_message());
        QCOMPARE(bitsOf(model, request.get()), expected.at(static_cast<std::size_t>(row)));
    }
}

void TstPredicting::manyRowsGiveTheBitsOfEachAlone()
{
    constexpr int kRows = 600; // three blocks
    const RequestHandle many = requestOf(m_model);
    const RequestHandle alone = requestOf(m_model);
    QCOMPARE(cannery_request_predict_rows(many.get()), CANNERY_OK);
    QCOMPARE(cannery_request_row_count(many.get()), std::size_t{0});
    for (int round = 0; round < 2; ++round) {
        for (int row = 0; row < kRows; ++row) {
            QCOMPARE(setRow(m_model, many.get(), tableRow(row + round)), CANNERY_OK);
            QCOMPARE(cannery_request_add_row(many.get()), CANNERY_OK);
        }
        QVERIFY2(cannery_request_predict_rows(many.get()) == CANNERY_OK, cannery_error_message());
        QCOMPARE(cannery_request_row_count(many.get()), std::size_t{kRows});
        for (int row = 0; row < kRows; ++row) {
            QCOMPARE(setRow(m_model, alone.get(), tableRow(row + round)), CANNERY_OK);
            QCOMPARE(cannery_request_predict(alone.get()), CANNERY_OK);
            QCOMPARE(bitsOf(m_model, many.get(), static_cast<std::size_t>(row)),
                     bitsOf(m_model, alone.get()));
        }
    }
}

void TstPredicting::theFirstWrongRowIsNamed()
{
    const RequestHandle request = requestOf(m_model);
    QCOMPARE(cannery_request_predict(request.get()), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_error_id(), "features.missing_number");
    for (int row = 0; row < 400; ++row) {
        QCOMPARE(setRow(m_model, request.get(), tableRow(row)), CANNERY_OK);
        if (row == 270 || row == 330) {
            cannery_request_clear_all(request.get());
        }
        cannery_request_add_row(request.get());
    }
    QCOMPARE(cannery_request_predict_rows(request.get()), CANNERY_INVALID_ARGUMENT);
    QVERIFY2(std::string(cannery_error_message()).find("271") != std::string::npos,
             cannery_error_message());
    QCOMPARE(cannery_request_row_count(request.get()), std::size_t{0});
    QVERIFY(cannery_request_floats(request.get(), 0) == nullptr);
    QCOMPARE(cannery_error_id(), "predict.nothing_predicted");
    QCOMPARE(setRow(m_model, request.get(), tableRow(1)), CANNERY_OK);
    QCOMPARE(cannery_request_add_row(request.get()), CANNERY_OK);
    QCOMPARE(cannery_request_predict_rows(request.get()), CANNERY_OK);
    QCOMPARE(cannery_request_row_count(request.get()), std::size_t{1});
}

void TstPredicting::aRequestOutlivesItsModel()
{
    ModelHandle model = openHandle(m_export);
    const RequestHandle request = requestOf(model);
    QCOMPARE(setRow(model, request.get(), tableRow(3)), CANNERY_OK);
    model.reset();
    QCOMPARE(cannery_request_predict(request.get()), CANNERY_OK);
    QVERIFY(std::isfinite(cannery_request_floats(request.get(), 0)[0]));
}

void TstPredicting::wrongCellsAreRefused()
{
    const RequestHandle request = requestOf(m_model);
    std::size_t x = 0;
    std::size_t c = 0;
    cannery_model_find_input(m_model.get(), "x", &x);
    cannery_model_find_input(m_model.get(), "c", &c);
    QCOMPARE(cannery_request_set_text(request.get(), x, "wide", 4), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_error_id(), "predict.cell");
    QVERIFY2(std::string(cannery_error_message()).find("'wide'") != std::string::npos,
             cannery_error_message());
    const double two[] = {1, 2};
    QCOMPARE(cannery_request_set_numbers(request.get(), x, two, 2), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_request_set_text(request.get(), c, "\xff", 1), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_request_set_number(request.get(), c, 0.5), CANNERY_OK);
    const cannery_text texts[] = {{"a", 1}, {nullptr, 3}};
    QCOMPARE(cannery_request_set_texts(request.get(), c, texts, 2), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_error_id(), "predict.null");
    QCOMPARE(cannery_request_set_texts(request.get(), c, texts, 1), CANNERY_OK);
    // A missing token, and a cleared cell, are missing cells.
    for (const bool isToken : {true, false}) {
        QCOMPARE(cannery_request_set_number(request.get(), x, 3), CANNERY_OK);
        QCOMPARE(cannery_request_predict(request.get()), CANNERY_OK);
        QCOMPARE(isToken ? cannery_request_set_text(request.get(), x, "?", 1)
                         : cannery_request_clear(request.get(), x),
                 CANNERY_OK);
        QCOMPARE(cannery_request_predict(request.get()), CANNERY_INVALID_ARGUMENT);
    }
}

void TstPredicting::wrongArgumentsAreRefused()
{
    cannery_model* model = nullptr;
    cannery_request* request = nullptr;
    std::size_t index = 0;
    QCOMPARE(cannery_model_open(nullptr, nullptr, &model), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_model_open(m_export.c_str(), nullptr, nullptr), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_request_create(nullptr, &request), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_request_predict(nullptr), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_error_id(), "predict.null");
    QCOMPARE(cannery_model_input_count(nullptr), std::size_t{0});
    cannery_model_close(nullptr);
    cannery_request_free(nullptr);

    QCOMPARE(cannery_model_find_input(m_model.get(), "X", &index), CANNERY_NOT_FOUND);
    QVERIFY2(std::string(cannery_error_message()).find("'x'") != std::string::npos,
             cannery_error_message());
    QCOMPARE(cannery_model_find_output(m_model.get(), "score", &index), CANNERY_NOT_FOUND);
    QCOMPARE(cannery_model_input(m_model.get(), 2, nullptr, nullptr, nullptr),
             CANNERY_OUT_OF_RANGE);
    QCOMPARE(cannery_model_output(m_model.get(), 7, nullptr, nullptr, nullptr),
             CANNERY_OUT_OF_RANGE);
    const RequestHandle made = requestOf(m_model);
    QCOMPARE(cannery_request_set_number(made.get(), 2, 1), CANNERY_OUT_OF_RANGE);
    QCOMPARE(setRow(m_model, made.get(), tableRow(0)), CANNERY_OK);
    QCOMPARE(cannery_request_predict(made.get()), CANNERY_OK);
    QVERIFY(cannery_request_integers(made.get(), 0) == nullptr);
    QCOMPARE(cannery_error_id(), "predict.output_type");

    cannery_options options = CANNERY_OPTIONS;
    options.explain = 1;
    QCOMPARE(cannery_model_open(m_export.c_str(), &options, &model), CANNERY_INVALID_ARGUMENT);
    QVERIFY(model == nullptr);
    options.size = 0;
    QCOMPARE(cannery_model_open(m_export.c_str(), &options, &model), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_error_id(), "predict.options");
}

void TstPredicting::integersOfAnySizeAreExact()
{
    TrainingFixture fixture;
    for (const char* name : {"train.csv", "eval.csv"}) {
        std::ofstream table(fixture.path(name));
        table << "x,c,label,id\n";
        for (int row = 0; row < 60; ++row) {
            table << row << ",a," << row % 2 << "," << 9007199254740992 + row % 2 << "\n";
        }
    }
    VERIFY_OK(fixture.train(
        "feature_column { name: \"ids\" categorical_column_with_vocabulary_list { key: \"id\" "
        "dtype: int64 vocabulary_list: [\"9007199254740992\", \"9007199254740993\"] } } estimator "
        "{ dnn_linear_combined_classifier { linear_feature_columns: \"ids\" } } train_spec { "
        "max_steps: 20 }"));
    const ModelHandle model = openHandle(fixture.modelDir());
    QVERIFY2(model != nullptr, cannery_error_message());
    const RequestHandle request = requestOf(model);
    QCOMPARE(setRow(model, request.get(), {.x = 1, .c = "a"}), CANNERY_OK);
    std::size_t id = 0;
    QCOMPARE(cannery_model_find_input(model.get(), "id", &id), CANNERY_OK);
    float logits[2] = {};
    for (int i = 0; i < 2; ++i) {
        QCOMPARE(cannery_request_set_integer(request.get(), id, 9007199254740992 + i), CANNERY_OK);
        QCOMPARE(cannery_request_predict(request.get()), CANNERY_OK);
        logits[i] = cannery_request_floats(request.get(), 0)[0];
    }
    QVERIFY(logits[0] < logits[1]);
    QCOMPARE(cannery_request_set_integer(request.get(), id, INT64_MIN), CANNERY_OK);
    QCOMPARE(cannery_request_predict(request.get()), CANNERY_OK);
}

void TstPredicting::onlyOneChoiceOfACheckpoint()
{
    cannery_model* model = nullptr;
    cannery_options options = CANNERY_OPTIONS;
    options.checkpoint = "10";
    QCOMPARE(cannery_model_open(m_fixture.modelDir().c_str(), &options, &model), CANNERY_OK);
    QCOMPARE(cannery_model_global_step(model), std::int64_t{10});
    cannery_model_close(model);
    options.checkpoint = "11";
    QCOMPARE(cannery_model_open(m_fixture.modelDir().c_str(), &options, &model), CANNERY_NOT_FOUND);
    options.checkpoint = "latest";
    QCOMPARE(cannery_model_open(m_export.c_str(), &options, &model), CANNERY_INVALID_ARGUMENT);
    QCOMPARE(cannery_error_id(), "train.checkpoint_twice");
}

void TstPredicting::foreignAndChangedExportsAreRefused()
{
    QCOMPARE(idOf(m_fixture.path("nowhere")), std::string("train.no_model_dir"));
    const std::string copy = m_fixture.path("copy");
    const std::string file = copy + "/assets.extra/cannery/experiment.cannery";
    const auto renew = [&] {
        std::filesystem::remove_all(copy);
        std::filesystem::copy(m_export, copy, std::filesystem::copy_options::recursive);
    };
    renew();
    QCOMPARE(idOf(copy), std::string());
    std::filesystem::remove(file);
    QCOMPARE(idOf(copy), std::string("export.no_experiment"));

    renew();
    std::string text = TrainingFixture::bytes(file);
    VERIFY_OK(storage::writeFileAtomically(file, text + "\n# more\n"));
    QCOMPARE(idOf(copy), std::string("export.experiment_damaged"));

    // What TensorFlow would not notice either, and a file of another folder.
    text = text.substr(text.find('\n') + 1);
    VERIFY_OK(storage::writeFileAtomically(
        file, storage::withChecksumLine(
                  text + "feature_column { name: \"w\" categorical_column_with_vocabulary_file { "
                         "key: \"c\" vocabulary_file: \"../words.txt\" } }\n")));
    QCOMPARE(idOf(copy), std::string("io.outside"));

    // Numbers that no model can have, although the checksum is right.
    std::string units = text;
    units.replace(units.find("[8, 4]"), 6, "[-8, 4]");
    VERIFY_OK(storage::writeFileAtomically(file, storage::withChecksumLine(units)));
    QCOMPARE(idOf(copy), std::string("export.experiment_damaged"));

    renew();
    std::filesystem::resize_file(copy + "/variables/variables.data-00000-of-00001", 40);
    QVERIFY(openHandle(copy) == nullptr);
    QVERIFY2(std::string(cannery_error_message()).find(copy) != std::string::npos,
             cannery_error_message());
}

void TstPredicting::modelsOfStepsAreRefused()
{
    TrainingFixture fixture;
    for (const char* table : {"train.csv", "eval.csv"}) {
        std::ofstream(fixture.path(table)) << "x,c,s,label\n1,a,3|4,0|1\n2,b,5,1\n";
    }
    VERIFY_OK(fixture.train(
        "train_spec { max_steps: 2 input { batch_size: 2 } } data { label { split { column: "
        "\"label\" dtype: int64 } } feature { name: \"s\" split { column: \"s\" dtype: float32 } } "
        "} feature_column { name: \"steps\" sequence_numeric_column { key: \"s\" } } estimator { "
        "rnn_classifier { sequence_feature_columns: \"steps\" units: 3 return_sequences: true } "
        "}"));
    QCOMPARE(idOf(fixture.modelDir()), std::string("predict.every_step"));
}

void TstPredicting::warmPredictionsAllocateNothing()
{
    if (!allocationsAreCounted()) {
        QSKIP("a sanitizer has the allocator to itself");
    }
    const RequestHandle request = requestOf(m_model);
    std::size_t x = 0;
    std::size_t c = 0;
    cannery_model_find_input(m_model.get(), "x", &x);
    cannery_model_find_input(m_model.get(), "c", &c);
    bool isDone = true;
    const auto work = [&](int rows) {
        for (int row = 0; row < rows; ++row) {
            const std::string_view text = row % 3 == 0 ? "a" : "something else";
            isDone = isDone && cannery_request_set_number(request.get(), x, row) == CANNERY_OK &&
                     cannery_request_set_text(request.get(), c, text.data(), text.size()) ==
                         CANNERY_OK &&
                     cannery_request_predict(request.get()) == CANNERY_OK;
        }
    };
    work(10);
    const auto before = allocationCount();
    work(1000);
    const auto allocated = allocationCount() - before;
    QVERIFY(isDone);
    QCOMPARE(allocated, std::int64_t{0});
}

CANNERY_TEST(TstPredicting)
#include "tst_predicting.moc"
