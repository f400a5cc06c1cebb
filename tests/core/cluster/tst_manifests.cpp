// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/launcher.h"
#include "core/cluster/manifests.h"
#include "core/cluster/slurm_script.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <functional>

using namespace cannery;
using namespace cannery::cluster;

/// The expected texts are files in manifests/; CANNERY_UPDATE_TEXTS=1 writes them anew. Those for
/// Kubernetes pass kubernetes-validate (core, batch, policy and networking of 1.29), the script ran
/// under Slurm 22.05.
class TstManifests : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void textsAreThoseExpected_data();
    void textsAreThoseExpected();
    void thePodsOfAnIndexedJobFindTheirTasks();
    void anExistingClaimIsUsed();
    void oneTaskNeedsNoBudget();
    void aShellReadsEveryWordAsItIs();
    void theScriptQueuesTheJobAgain_data();
    void theScriptQueuesTheJobAgain();
    void namesAreMadeOfAnyText_data();
    void namesAreMadeOfAnyText();
    void mistakesAreNamed_data();
    void mistakesAreNamed();
};

namespace {

using Change = std::function<void(ManifestRequest&)>;

ManifestRequest census(Platform platform)
{
    ManifestRequest request;
    request.platform = platform;
    request.name = "census";
    request.experiment = "census.cannery";
    request.modelDir = "models/census";
    request.project = platform == Platform::Slurm ? "/shared/it's census" : "";
    request.image = "registry.example/cannery:1.0";
    request.workers = 4;
    request.cpus = 2;
    return request;
}

QString expectedFile(const QString& name)
{
    return QStringLiteral(CANNERY_SOURCE_DIR "/tests/core/cluster/manifests/") + name;
}

/// The value of a variable in the pods' environment.
std::string variableIn(const std::string& yaml, const QString& variable)
{
    const QRegularExpression entry("name: " + variable + "\n *value: (.*)\n");
    QString value = entry.match(QString::fromStdString(yaml)).captured(1);
    return value.remove('"').toStdString();
}

} // namespace

void TstManifests::textsAreThoseExpected_data()
{
    QTest::addColumn<ManifestRequest>("request");
    ManifestRequest kubernetes = census(Platform::Kubernetes);
    kubernetes.parameterServers = 2;
    kubernetes.hasEvaluator = true;
    kubernetes.memoryMib = 2048;
    kubernetes.token = "0123456789abcdef0123456789abcdef";
    QTest::newRow("indexed_job.yaml") << kubernetes;
    kubernetes.platform = Platform::Kubeflow;
    QTest::newRow("tf_job.yaml") << kubernetes;
    QTest::newRow("indexed_job_of_workers.yaml") << census(Platform::Kubernetes);
    ManifestRequest withGpus = census(Platform::Kubernetes);
    withGpus.hasGpus = true;
    QTest::newRow("indexed_job_with_gpus.yaml") << withGpus;
    ManifestRequest slurm = census(Platform::Slurm);
    slurm.memoryMib = 2047;
    QTest::newRow("job.sbatch") << slurm;
    slurm.hasGpus = true;
    QTest::newRow("job_with_gpus.sbatch") << slurm;
    slurm.hasGpus = false;
    slurm.parameterServers = 2;
    slurm.hasEvaluator = true;
    QTest::newRow("job_with_servers.sbatch") << slurm;
}

void TstManifests::textsAreThoseExpected()
{
    QFETCH(const ManifestRequest, request);
    const auto text = renderManifests(request);
    VERIFY_OK(text);
    QFile file(expectedFile(QTest::currentDataTag()));
    if (qEnvironmentVariableIsSet("CANNERY_UPDATE_TEXTS")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(*text));
        return;
    }
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromStdString(*text), QString::fromUtf8(file.readAll()));
}

/// What is rendered is what the adapter reads.
void TstManifests::thePodsOfAnIndexedJobFindTheirTasks()
{
    ManifestRequest request = census(Platform::Kubernetes);
    request.parameterServers = 1;
    const std::string yaml = renderManifests(request).value();
    Environment environment{{"JOB_COMPLETION_INDEX", "4"}};
    for (const char* variable : {"CANNERY_ROLES", "CANNERY_HOSTS", "CANNERY_PORT"}) {
        environment[variable] = variableIn(yaml, variable);
    }
    const auto spec = clusterOfEnvironment(environment);
    VERIFY_OK(spec);
    QCOMPARE((*spec)->workerCount(), 4);
    QCOMPARE((*spec)->chiefAddress(), std::string("census-0.census:2222"));
    QCOMPARE(describe((*spec)->type, (*spec)->index), std::string("ps 0"));
    QCOMPARE((*spec)->ownAddress(), std::string("census-4.census:2222"));
}

void TstManifests::anExistingClaimIsUsed()
{
    ManifestRequest request = census(Platform::Kubeflow);
    request.project = "team.data";
    const QString yaml = QString::fromStdString(renderManifests(request).value());
    QVERIFY(yaml.contains("claimName: team.data\n"));
    QVERIFY(!yaml.contains("kind: PersistentVolumeClaim"));
}

/// A budget that wants no pod at all would only be noise.
void TstManifests::oneTaskNeedsNoBudget()
{
    ManifestRequest request = census(Platform::Kubernetes);
    request.workers = 1;
    const QString yaml = QString::fromStdString(renderManifests(request).value());
    QVERIFY(!yaml.contains("PodDisruptionBudget"));
    QVERIFY(yaml.contains("completions: 1\n"));
    QVERIFY(yaml.contains("value: \"chief:1\"\n"));
}

void TstManifests::aShellReadsEveryWordAsItIs()
{
    for (const std::string text :
         {"it's", "a b", "$(touch x)", "`id`", "a\\b", "\"", "!!", "a\nb", "*", "Größe", ""}) {
        QProcess shell;
        shell.start("/bin/sh", {"-c", "printf %s " + QString::fromStdString(shellWord(text))});
        QVERIFY(shell.waitForFinished());
        QCOMPARE(shell.readAllStandardOutput(), QByteArray::fromStdString(text));
    }
}

void TstManifests::theScriptQueuesTheJobAgain_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("restarts");
    QTest::addColumn<QString>("requeued");
    QTest::newRow("done") << 0 << "0"
                          << "";
    QTest::newRow("an error in the data") << 3 << "0"
                                          << "";
    QTest::newRow("stopped") << 143 << ""
                             << "requeue 4711\n";
    QTest::newRow("a lost peer, not for the first time") << 200 << "11"
                                                         << "requeue 4711\n";
    QTest::newRow("too often") << 200 << "12"
                               << "";
}

/// Runs the script with a shell, where `srun` and `scontrol` are functions.
void TstManifests::theScriptQueuesTheJobAgain()
{
    QFETCH(const int, status);
    QFETCH(const QString, restarts);
    QFETCH(const QString, requeued);
    const QTemporaryDir folder;
    ManifestRequest request = census(Platform::Slurm);
    request.project = folder.path().toStdString();
    request.experiment = "-an experiment's.cannery";
    const QString script = QStringLiteral("srun() { printf '<%s>' \"$CANNERY_ROLES\" \"$@\"; pwd; "
                                          "expr \"$CANNERY_JOB_TOKEN\" : '[0-9a-f]\\{32\\}$' >&2; "
                                          "return %1; }\n"
                                          "scontrol() { echo \"$@\"; }\n"
                                          "SLURM_JOB_ID=4711 SLURM_RESTART_COUNT='%2'\n")
                               .arg(status)
                               .arg(restarts) +
                           QString::fromStdString(renderManifests(request).value());
    QProcess shell;
    shell.start("/bin/bash", {"-c", script});
    QVERIFY(shell.waitForFinished());
    QCOMPARE(shell.readAllStandardError(), QByteArray("32\n"));
    QCOMPARE(shell.exitCode(), status);
    const QString called = "<chief:1,worker:3><--ntasks=4><--cpus-per-task=2><--distribution=block>"
                           "<--kill-on-bad-exit=0><--wait=0><cannery><train>"
                           "<./-an experiment's.cannery><--model-dir><./models/census>"
                           "<--threads><2>";
    QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()),
             called + folder.path() + "\n" + requeued);
}

void TstManifests::namesAreMadeOfAnyText_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("name");
    QTest::newRow("a name") << "census-2"
                            << "census-2";
    QTest::newRow("words") << "Census Income (v2)!"
                           << "census-income-v2";
    QTest::newRow("umlauts") << "Größe"
                             << "gr-e";
    QTest::newRow("a digit first") << "2nd run"
                                   << "job-2nd-run";
    QTest::newRow("nothing usable") << "—"
                                    << "job";
    QTest::newRow("nothing") << ""
                             << "job";
    QTest::newRow("too long") << QString(44, 'a') + "-b" << QString(44, 'a');
}

void TstManifests::namesAreMadeOfAnyText()
{
    QFETCH(const QString, text);
    QFETCH(const QString, name);
    const std::string made = jobNameOf(text.toStdString());
    QCOMPARE(QString::fromStdString(made), name);
    ManifestRequest request = census(Platform::Kubernetes);
    request.name = made;
    VERIFY_OK(renderManifests(request));
}

void TstManifests::mistakesAreNamed_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("id");
    const auto row = [](const char* rule, const QString& id, const Change& change) {
        QTest::newRow(rule) << change << id;
    };
    const QString badName = "cluster.bad_job_name";
    row("no name", badName, [](ManifestRequest& request) { request.name.clear(); });
    row("upper case", badName, [](ManifestRequest& request) { request.name = "Census"; });
    row("a digit first", badName, [](ManifestRequest& request) { request.name = "2nd"; });
    row("a hyphen last", badName, [](ManifestRequest& request) { request.name = "census-"; });
    row("a dot", badName, [](ManifestRequest& request) { request.name = "a.b"; });
    row("a line", badName, [](ManifestRequest& request) { request.name = "a\nb"; });
    row("too long", badName, [](ManifestRequest& request) { request.name.assign(46, 'a'); });
    const QString badImage = "cluster.bad_image";
    row("no image", badImage, [](ManifestRequest& request) { request.image.clear(); });
    row("an image with a space", badImage, [](ManifestRequest& request) { request.image = "a b"; });
    row("an option", badImage, [](ManifestRequest& request) { request.image = "-a"; });
    row("a claim with a slash", "cluster.bad_project",
        [](ManifestRequest& request) { request.project = "/shared"; });
    row("a relative folder", "cluster.bad_project", [](ManifestRequest& request) {
        request.platform = Platform::Slurm;
        request.project = "shared";
    });
    row("a folder with a line break", "cluster.bad_project", [](ManifestRequest& request) {
        request.platform = Platform::Slurm;
        request.project = "/a\nrm -r /";
    });
    const QString badPath = "cluster.bad_project_path";
    row("no experiment", badPath, [](ManifestRequest& request) { request.experiment.clear(); });
    row("an absolute experiment", badPath,
        [](ManifestRequest& request) { request.experiment = "/census.cannery"; });
    row("an experiment outside", badPath,
        [](ManifestRequest& request) { request.experiment = "a/../../b"; });
    row("no model_dir", badPath, [](ManifestRequest& request) { request.modelDir.clear(); });
    row("a model_dir outside", badPath, [](ManifestRequest& request) { request.modelDir = ".."; });
    row("an empty folder", badPath, [](ManifestRequest& request) { request.modelDir = "a/"; });
    row("a secret with a line break", "cluster.bad_token",
        [](ManifestRequest& request) { request.token = "a\nb"; });
    const QString badSize = "cluster.bad_job_size";
    row("no workers", badSize, [](ManifestRequest& request) { request.workers = 0; });
    row("too many workers", badSize, [](ManifestRequest& request) { request.workers = 65537; });
    row("too many in all", badSize, [](ManifestRequest& request) {
        request.workers = 65536;
        request.hasEvaluator = true;
    });
    row("negative", badSize, [](ManifestRequest& request) { request.parameterServers = -1; });
    row("no CPUs", badSize, [](ManifestRequest& request) { request.cpus = 0; });
    row("negative memory", badSize, [](ManifestRequest& request) { request.memoryMib = -1; });
}

void TstManifests::mistakesAreNamed()
{
    QFETCH(const Change, change);
    QFETCH(const QString, id);
    ManifestRequest request = census(Platform::Kubernetes);
    change(request);
    VERIFY_ERROR(renderManifests(request), id);
}

CANNERY_TEST(TstManifests)
#include "tst_manifests.moc"
