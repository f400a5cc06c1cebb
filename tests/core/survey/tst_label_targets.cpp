// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/survey/label_targets.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::survey;

/// What is averaged of the label over groups of rows.
class TstLabelTargets : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ofTwoClassesThePositiveOne();
    void eachOfSeveralClassesIsATarget();
    void fewOfManyClassesAreTargets();
    void numbersAreTargetsThemselves();
    void labelsThatCannotBeReadLeaveNoTargets();
    void rowsWithoutLabelsHaveNoTargets();

private:
    struct Read
    {
        std::vector<std::string> names; ///< before the rows were read
        bool areShares = false;
        std::vector<float> numbers;
        std::vector<std::string> namesAfter;
    };

    /// Of a table with these labels in "y" beside a column "x".
    Result<Read> read(const std::string& estimator, const std::vector<std::string>& labels,
                      bool isLabelled = true) const
    {
        std::string table = "x,y\n";
        for (const std::string& label : labels) {
            table += "1," + label + '\n';
        }
        tests::textFile(m_folder, "t.csv", table);
        const spec::Experiment experiment = spec::resolve(
            spec::parseExperiment("data { train { csv { files: \"t.csv\" } } " +
                                  std::string(isLabelled ? "label { column: \"y\" }" : "") +
                                  " } estimator { " + estimator + " }")
                .experiment);
        CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                           data::Dataset::open(experiment.data(), m_folder.path().toStdString(),
                                               data::DataPart::Train));
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                           dataset.read({.features = {"x"}, .labels = data::LabelNeed::Optional}));
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, stream->next());
        LabelTargets targets = LabelTargets::of(experiment);
        Read found{.names = targets.names(), .areShares = targets.areShares()};
        targets.read(*batch, dataset.files(), found.numbers);
        found.namesAfter = targets.names();
        return found;
    }

    QTemporaryDir m_folder;
};

namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<float>;

} // namespace

void TstLabelTargets::ofTwoClassesThePositiveOne()
{
    const auto ids = read("linear_classifier {}", {"1", "0", "1"});
    VERIFY_OK(ids);
    QCOMPARE(ids->names, Names{"1"});
    QVERIFY(ids->areShares);
    QCOMPARE(ids->numbers, (Numbers{1, 0, 1}));
    const auto words =
        read("linear_classifier { label_vocabulary: [\"no\", \"yes\"] }", {"no", "yes", "no"});
    VERIFY_OK(words);
    QCOMPARE(words->names, Names{"yes"});
    QCOMPARE(words->numbers, (Numbers{0, 1, 0}));
}

void TstLabelTargets::eachOfSeveralClassesIsATarget()
{
    const auto found = read("linear_classifier { n_classes: 3 }", {"2", "0"});
    VERIFY_OK(found);
    QCOMPARE(found->names, (Names{"0", "1", "2"}));
    QVERIFY(found->areShares);
    QCOMPARE(found->numbers, (Numbers{0, 0, 1, 1, 0, 0}));
}

/// Rows of the others count in no share.
void TstLabelTargets::fewOfManyClassesAreTargets()
{
    const auto found = read("linear_classifier { n_classes: 30 }", {"25", "19"});
    VERIFY_OK(found);
    QCOMPARE(found->names.size(), static_cast<std::size_t>(LabelTargets::kMostClasses));
    Numbers expected(40, 0);
    expected[39] = 1;
    QCOMPARE(found->numbers, expected);
}

void TstLabelTargets::numbersAreTargetsThemselves()
{
    const auto found = read("linear_regressor {}", {"2.5", "-1"});
    VERIFY_OK(found);
    QCOMPARE(found->names, Names{""});
    QVERIFY(!found->areShares);
    QCOMPARE(found->numbers, (Numbers{2.5F, -1}));
}

void TstLabelTargets::labelsThatCannotBeReadLeaveNoTargets()
{
    const auto found =
        read("linear_classifier { label_vocabulary: [\"no\", \"yes\"] }", {"no", "maybe"});
    VERIFY_OK(found);
    QCOMPARE(found->names, Names{"yes"});
    QVERIFY(found->numbers.empty());
    QVERIFY(found->namesAfter.empty());
}

void TstLabelTargets::rowsWithoutLabelsHaveNoTargets()
{
    const auto found = read("linear_regressor {}", {"2.5", "-1"}, false);
    VERIFY_OK(found);
    QCOMPARE(found->names, Names{""});
    QVERIFY(found->numbers.empty());
    QVERIFY(found->namesAfter.empty());
}

CANNERY_TEST(TstLabelTargets)
#include "tst_label_targets.moc"
