// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/spec/experiment_file.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/text_format.h"
#include "core/spec/text/text_reader.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace cannery;
using namespace cannery::spec;

namespace {

namespace fs = std::filesystem;

std::string format(const std::string& text)
{
    return formatExperiment(parseExperiment(text).tree);
}

bool same(const Experiment& a, const Experiment& b)
{
    return google::protobuf::util::MessageDifferencer::Equals(a, b);
}

/// Every problem has a message and an existing line of the text.
bool isToldWithin(const std::vector<Problem>& problems, const std::string& text)
{
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    return std::all_of(problems.begin(), problems.end(), [&](const Problem& problem) {
        return problem.error.sentence.find_last_of(".?") + 1 == problem.error.sentence.size() &&
               problem.line >= 1 && problem.line <= lines && problem.column >= 1;
    });
}

std::vector<fs::path> exampleFiles()
{
    std::vector<fs::path> files;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(CANNERY_SOURCE_DIR) / "resources/examples")) {
        if (entry.path().extension() == ".cannery") {
            files.push_back(entry.path());
        }
    }
    CANNERY_CHECK(!files.empty());
    return files;
}

const std::string kUntidy = R"(# Header of the file.

# About the name.
name:   'Untidy' ; # a name
run_config { threads: 2 tf_random_seed: 0x10, }


estimator { # the model
  dnn_classifier < hidden_units: 64 feature_columns: ["age" , # first
    # between
    "sex"]  hidden_units: [ 32 ] dropout: 5e-1
    # after everything
  >
}
feature_column { name: "age" numeric_column { key: "age" } } # trailing
description: "one " # inside
   "two"
)";

const std::string kTidy = R"(# Header of the file.

# About the name.
name: "Untidy"  # a name
# inside
description: "one two"
feature_column { name: "age" numeric_column { key: "age" } }  # trailing

estimator {  # the model
  dnn_classifier {
    hidden_units: [64, 32]
    feature_columns: [
      "age",  # first
      # between
      "sex"
    ]
    dropout: 0.5
    # after everything
  }
}
run_config { tf_random_seed: 16 threads: 2 }
)";

} // namespace

class TstTextFormat : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsCommentsAndPutsTheRestInOrder();
    void isIdempotentOnTheExamples();
    void sameExperimentGivesSameBytes();
    void breaksLongListsAtColumn100();
    void printsWhatItReadsBack();
    void agreesWithProtobufsOwnParser();
    void readsWhatProtobufPrints();
    void keepsEveryNumberExactly_data();
    void keepsEveryNumberExactly();
    void numbersOutOfRangeAreZeroOrInfinite_data();
    void numbersOutOfRangeAreZeroOrInfinite();
    void aHexadecimalNumberBeyond64BitsIsRefused();
    void everyTruncationIsReadAndToldAtItsPlace();
    void survivesDeepNestingAndBinary();
};

void TstTextFormat::keepsCommentsAndPutsTheRestInOrder()
{
    QCOMPARE(QString::fromStdString(format(kUntidy)), QString::fromStdString(kTidy));
    QCOMPARE(QString::fromStdString(format(kTidy)), QString::fromStdString(kTidy));
}

void TstTextFormat::isIdempotentOnTheExamples()
{
    for (const fs::path& file : exampleFiles()) {
        const auto loaded = loadExperiment(file);
        VERIFY_OK(loaded);
        const ParsedExperiment checked = checkExperiment(loaded->tree.text, {});
        for (const Problem& problem : checked.problems) {
            QFAIL(render(problem, file.string()).c_str());
        }
        const std::string once = formatExperiment(loaded->tree);
        const ParsedExperiment again = parseExperiment(once);
        QVERIFY(same(again.experiment, loaded->experiment));
        QCOMPARE(QString::fromStdString(formatExperiment(again.tree)),
                 QString::fromStdString(once));
        QCOMPARE(again.tree.comments.size(), loaded->tree.comments.size());
    }
}

void TstTextFormat::sameExperimentGivesSameBytes()
{
    for (const fs::path& file : exampleFiles()) {
        const auto loaded = loadExperiment(file);
        VERIFY_OK(loaded);
        const std::string printed = printExperiment(loaded->experiment);
        std::string shuffled;
        loaded->experiment.SerializeToString(&shuffled);
        Experiment copy;
        QVERIFY(copy.ParseFromString(shuffled));
        QCOMPARE(printExperiment(copy), printed);
        // Text in another layout, without comments or blank lines.
        std::string other;
        google::protobuf::TextFormat::PrintToString(copy, &other);
        QCOMPARE(QString::fromStdString(format(other)), QString::fromStdString(printed));
    }
}

void TstTextFormat::breaksLongListsAtColumn100()
{
    Experiment experiment;
    auto& list = *experiment.mutable_estimator()->mutable_dnn_classifier();
    for (int i = 0; i < 60; ++i) {
        list.add_feature_columns("column_" + std::to_string(i));
    }
    const std::string text = printExperiment(experiment);
    std::size_t longest = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        longest = std::max(longest, end - at);
        at = end + 1;
    }
    QVERIFY(longest <= 100 && longest > 80);
    QVERIFY(same(parseExperiment(text).experiment, experiment));
}

void TstTextFormat::printsWhatItReadsBack()
{
    const std::string bytes("\0\x01\n\r\t\"'\\ü\x7f\xff", 12);
    Experiment experiment;
    experiment.set_name(bytes);
    experiment.mutable_data()->add_column();
    experiment.mutable_strategy();
    const ParsedExperiment parsed = parseExperiment(printExperiment(experiment));
    QVERIFY(parsed.problems.empty());
    QVERIFY(parsed.experiment.name() == bytes);
    QVERIFY(same(parsed.experiment, experiment));
}

void TstTextFormat::agreesWithProtobufsOwnParser()
{
    const std::string text = R"(
      name: "a" 'b' "\x41\101\u00fc\U0001F600\\\?\a"; description: ""
      run_config: { tf_random_seed: -0x10, threads: 010 keep_checkpoint_every_n_hours: 1.5f }
      estimator < dnn_linear_combined_regressor: { linear_feature_columns: "x"
        linear_feature_columns: ["y", "z"] dnn_hidden_units: [] batch_norm: t
        dnn_activation_fn: 5 linear_sparse_combiner: sqrtn dnn_dropout: .5 } >
      feature_column [{ name: "q" numeric_column { default_value: [inf, -infinity, 1e400, -0] } }, <>]
      # done)";
    Experiment expected;
    QVERIFY(google::protobuf::TextFormat::ParseFromString(text, &expected));
    const ParsedExperiment parsed = parseExperiment(text);
    for (const Problem& problem : parsed.problems) {
        QFAIL(render(problem, "text").c_str());
    }
    QVERIFY(same(parsed.experiment, expected));
    QVERIFY(same(parseExperiment(formatExperiment(parsed.tree)).experiment, expected));
}

void TstTextFormat::readsWhatProtobufPrints()
{
    for (const fs::path& file : exampleFiles()) {
        const auto loaded = loadExperiment(file);
        VERIFY_OK(loaded);
        for (const bool single : {false, true}) {
            google::protobuf::TextFormat::Printer printer;
            printer.SetSingleLineMode(single);
            printer.SetUseShortRepeatedPrimitives(single);
            std::string text;
            QVERIFY(printer.PrintToString(loaded->experiment, &text));
            const ParsedExperiment parsed = parseExperiment(text);
            QVERIFY(parsed.problems.empty());
            QVERIFY(same(parsed.experiment, loaded->experiment));
        }
    }
}

void TstTextFormat::keepsEveryNumberExactly_data()
{
    QTest::addColumn<double>("number");
    for (const double number : {0.1, 1e-7, 1e22, 1.0 / 3, 5e-324, 1.7976931348623157e308, 18.0,
                                -0.0, 0.30000001192092896}) {
        QTest::newRow(qPrintable(QString::number(number, 'g', 17))) << number;
    }
}

void TstTextFormat::keepsEveryNumberExactly()
{
    QFETCH(double, number);
    Experiment experiment;
    experiment.mutable_run_config()->set_keep_checkpoint_every_n_hours(number);
    const ParsedExperiment parsed = parseExperiment(printExperiment(experiment));
    QVERIFY(parsed.problems.empty());
    const double read = parsed.experiment.run_config().keep_checkpoint_every_n_hours();
    QVERIFY(read == number && std::signbit(read) == std::signbit(number));
}

void TstTextFormat::numbersOutOfRangeAreZeroOrInfinite_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<double>("number");
    const double infinity = std::numeric_limits<double>::infinity();
    const QByteArray zeros(400, '0');
    QTest::newRow("a large exponent") << QByteArray("1e999") << infinity;
    QTest::newRow("a small exponent") << QByteArray("1e-999") << 0.0;
    QTest::newRow("zeros behind the point") << "0." + zeros + "1" << 0.0;
    QTest::newRow("zeros before the point") << "1" + zeros + ".5" << infinity;
    QTest::newRow("zeros and an exponent that does not make up for them")
        << "0." + zeros + "1e9" << 0.0;
    QTest::newRow("zeros that outweigh a negative exponent")
        << "1" + QByteArray(800, '0') + ".0e-100" << infinity;
    QTest::newRow("an exponent beyond 64 bits") << QByteArray("1e-99999999999999999999") << 0.0;
}

void TstTextFormat::numbersOutOfRangeAreZeroOrInfinite()
{
    QFETCH(const QByteArray, text);
    const ParsedExperiment parsed = parseExperiment(
        ("run_config { keep_checkpoint_every_n_hours: " + text + " }").toStdString());
    QVERIFY(parsed.problems.empty());
    QTEST(parsed.experiment.run_config().keep_checkpoint_every_n_hours(), "number");
}

void TstTextFormat::aHexadecimalNumberBeyond64BitsIsRefused()
{
    const ParsedExperiment parsed =
        parseExperiment("run_config { keep_checkpoint_every_n_hours: 0x1ffffffffffffffff }");
    QCOMPARE(parsed.problems.size(), std::size_t{1});
}

void TstTextFormat::everyTruncationIsReadAndToldAtItsPlace()
{
    const auto loaded = loadExperiment(fs::path(CANNERY_SOURCE_DIR) /
                                       "resources/examples/penguins/penguins.cannery");
    VERIFY_OK(loaded);
    const std::string text = kUntidy + loaded->tree.text;
    std::size_t whole = 0;
    std::size_t broken = 0;
    for (std::size_t size = 0; size <= text.size(); ++size) {
        std::string part = text.substr(0, size);
        const ParsedExperiment cut = parseExperiment(part);
        QVERIFY2(isToldWithin(cut.problems, part), part.c_str());
        broken += hasErrors(cut.problems) ? 1 : 0;
        if (cut.problems.empty()) {
            const ParsedExperiment again = parseExperiment(formatExperiment(cut.tree));
            QVERIFY2(same(again.experiment, cut.experiment), part.c_str());
            ++whole;
        }
        if (size % 8 == 0) {
            part.insert(size / 2, "}\"[:");
            const ParsedExperiment spoilt = checkExperiment(part, {});
            QVERIFY2(hasErrors(spoilt.problems) && isToldWithin(spoilt.problems, part),
                     part.c_str());
            formatExperiment(spoilt.tree);
        }
    }
    QVERIFY(whole > 20);
    QVERIFY(broken > text.size() / 2);
}

void TstTextFormat::survivesDeepNestingAndBinary()
{
    std::string deep;
    for (int i = 0; i < 100000; ++i) {
        deep += "a{";
    }
    QVERIFY(hasErrors(checkExperiment(deep, {}).problems));
    deep.assign(100000, '{');
    QVERIFY(hasErrors(checkExperiment(deep, {}).problems));
    std::string binary;
    for (int i = 0; i < 100000; ++i) {
        binary += static_cast<char>((i * 7919) >> 3);
    }
    const ParsedExperiment read = checkExperiment(binary, {});
    QVERIFY(hasErrors(read.problems));
    formatExperiment(read.tree);
}

CANNERY_TEST(TstTextFormat)
#include "tst_text_format.moc"
