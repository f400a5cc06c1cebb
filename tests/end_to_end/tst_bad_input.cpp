#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <functional>

using namespace cannery::tests;

namespace {

/// Something wrong with a project.
struct Mishap
{
    const char* name;
    std::function<void(const ProjectFixture&)> arrange;
    QStringList arguments;
    int exitCode;
    const char* sentence; ///< part of what stands on stderr
};

QStringList train(const QStringList& more = {})
{
    return QStringList{"train", "fixture.cannery", "--model-dir", "model", "--quiet"} + more;
}

void trainFirst(const ProjectFixture& project)
{
    const ProgramResult result = project.run(train());
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
}

const std::vector<Mishap>& mishaps()
{
    static const std::vector<Mishap> rows{
        {"missing experiment", {}, {"train", "nothing.cannery"}, 3, "nothing.cannery"},
        {"missing data file", [](const ProjectFixture& p) { QFile::remove(p.path("table.csv")); },
         train(), 3, "table.csv"},
        {"empty data file", [](const ProjectFixture& p) { p.write("table.csv", ""); }, train(), 3,
         "table.csv"},
        {"header only",
         [](const ProjectFixture& p) { p.write("table.csv", "id,x,y,colour,label\n"); }, train(), 3,
         "table.csv"},
        {"wrong label",
         [](const ProjectFixture& p) {
             p.write("fixture.cannery", p.experiment("column: \"label\"", "column: \"lable\""));
         },
         train(), 3, "label"},
        {"label out of range",
         [](const ProjectFixture& p) {
             p.write("table.csv", "id,x,y,colour,label\n1,2,3,red,0\n2,2,3,red,5\n");
         },
         train(), 3, "table.csv:3"},
        {"label not in the vocabulary",
         [](const ProjectFixture& p) {
             p.write("table.csv", "id,x,y,colour,label\n1,2,3,red,no\n2,2,3,red,maybe\n");
             p.write("fixture.cannery",
                     p.experiment("dropout: 0.1", "label_vocabulary: [\"no\", \"yes\"]"));
         },
         train(), 3, "maybe"},
        {"NaN label",
         [](const ProjectFixture& p) {
             p.write("table.csv", "id,x,y,colour,label\n1,2,3,red,0\n2,2,3,red,nan\n");
         },
         train(), 3, "table.csv:3"},
        {"all-missing column",
         [](const ProjectFixture& p) {
             p.write("table.csv", "id,x,y,colour,label\n1,,3,red,0\n2,,3,red,1\n");
         },
         train(), 3, "x"},
        {"vocabulary file missing",
         [](const ProjectFixture& p) {
             p.write("fixture.cannery",
                     p.experiment("categorical_column_with_vocabulary_list { key: \"colour\" "
                                  "vocabulary_list: [\"red\", \"green\", \"blue\"] }",
                                  "categorical_column_with_vocabulary_file { key: \"colour\" "
                                  "vocabulary_file: \"colours.txt\" }"));
         },
         train(), 3, "colours.txt"},
        {"model_dir of another experiment", trainFirst,
         train({"--set", "estimator.dnn_classifier.hidden_units=[9,4]"}), 5, "hidden_units"},
        {"misspelt field",
         [](const ProjectFixture& p) {
             p.write("fixture.cannery", p.experiment("hidden_units", "hiden_units"));
         },
         train(), 3, "hidden_units"},
        {"unknown option", {}, {"train", "fixture.cannery", "--model-dri", "x"}, 2, "--model-dir"},
        {"unknown command", {}, {"trian"}, 2, "train"},
        {"no checkpoint", {}, {"evaluate", "fixture.cannery", "--model-dir", "model"}, 5, "model"},
        {"NaN loss",
         {},
         train({"--set", "estimator.dnn_classifier.optimizer=sgd { learning_rate: 1e30 }"}),
         4,
         "NaN"},
    };
    return rows;
}

} // namespace

/// Whatever is wrong: one sentence, the promised exit code, and nothing lost.
class TstBadInput : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void twoTrainingsInOneFolderAreRefused();
    void damagedCheckpointIsRefused();
};

void TstBadInput::saysWhatIsWrong_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < mishaps().size(); ++i) {
        QTest::newRow(mishaps()[i].name) << static_cast<int>(i);
    }
}

void TstBadInput::saysWhatIsWrong()
{
    QFETCH(int, index);
    const Mishap& mishap = mishaps()[static_cast<std::size_t>(index)];
    const ProjectFixture project;
    if (mishap.arrange) {
        mishap.arrange(project);
    }
    const ProgramResult result = project.run(mishap.arguments);
    QVERIFY2(result.exitCode == mishap.exitCode,
             qPrintable(QString("exit %1: %2").arg(result.exitCode).arg(result.err)));
    QVERIFY2(result.err.contains(mishap.sentence), qPrintable(result.err));
    QVERIFY2(result.err.contains("error: "), qPrintable(result.err));
    QVERIFY(result.out.isEmpty());
}

void TstBadInput::twoTrainingsInOneFolderAreRefused()
{
    const ProjectFixture project;
    const QStringList endless = train({"--set", "train_spec.max_steps=100000000"});
    const std::unique_ptr<QProcess> first = project.start(endless);
    QTRY_VERIFY_WITH_TIMEOUT(project.exists("model/checkpoint"), kPatience);
    const ProgramResult second = project.run(endless);
    QCOMPARE(second.exitCode, 1);
    QVERIFY2(second.err.contains("model"), qPrintable(second.err));
    first->kill();
    first->waitForFinished();
}

void TstBadInput::damagedCheckpointIsRefused()
{
    const ProjectFixture project;
    trainFirst(project);
    const QString data = "model/model.ckpt-60.data-00000-of-00001";
    QByteArray bytes = project.read(data);
    bytes[0] = static_cast<char>(bytes[0] ^ 1); // of dnn/hiddenlayer_0/bias
    project.write(data, bytes);
    const ProgramResult result =
        project.run({"evaluate", "fixture.cannery", "--model-dir", "model"});
    QCOMPARE(result.exitCode, 5);
    QVERIFY2(result.err.contains("model.ckpt-60"), qPrintable(result.err));
}

CANNERY_TEST(TstBadInput)
#include "tst_bad_input.moc"
