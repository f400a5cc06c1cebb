// SPDX-License-Identifier: GPL-3.0-only
#include "core/spec/experiment.pb.h"
#include "core/spec/schema_help.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <google/protobuf/descriptor.h>

#include <set>
#include <string>

using namespace cannery;

/// The schema's texts are in its descriptors; translators get them as sources that `lupdate` reads,
/// context "Schema". Run this test with CANNERY_UPDATE_TEXTS=1 to regenerate the list.
class TstSchemaTexts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void listForTranslatorsIsCurrent();
};

namespace {

const char* const kFile = CANNERY_SOURCE_DIR "/resources/translations/schema_texts.h";

void collect(const google::protobuf::Descriptor& message,
             std::set<const google::protobuf::Descriptor*>& seen, std::set<std::string>& texts)
{
    if (!seen.insert(&message).second) {
        return;
    }
    const spec::MessageHelp about = spec::describeMessage(message);
    texts.insert({about.label, about.help, about.family});
    for (const spec::FieldHelp& field : about.fields) {
        texts.insert({field.label, field.help, field.unit});
    }
    for (int i = 0; i < message.field_count(); ++i) {
        if (const auto* inner = message.field(i)->message_type()) {
            collect(*inner, seen, texts);
        }
    }
}

QString escaped(const std::string& text)
{
    return QString::fromStdString(text)
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
}

QString listOfTexts()
{
    std::set<const google::protobuf::Descriptor*> seen;
    std::set<std::string> texts;
    collect(*spec::Experiment::descriptor(), seen, texts);
    texts.erase("");
    QString list = "// SPDX-License-Identifier: GPL-3.0-only\n"
                   "// Labels, sentences and units of the schema, for translators. "
                   "Made by tst_schema_texts.\n// clang-format off\n\n";
    for (const std::string& text : texts) {
        list += "QT_TRANSLATE_NOOP(\"Schema\", \"" + escaped(text) + "\")\n";
    }
    return list;
}

} // namespace

void TstSchemaTexts::listForTranslatorsIsCurrent()
{
    const QString wanted = listOfTexts();
    QFile file(kFile);
    if (qEnvironmentVariableIsSet("CANNERY_UPDATE_TEXTS")) {
        QDir().mkpath(QStringLiteral(CANNERY_SOURCE_DIR "/resources/translations"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(wanted.toUtf8());
        file.close();
    }
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY2(QString::fromUtf8(file.readAll()) == wanted,
             "The schema has other words than resources/translations/schema_texts.h: run this test "
             "with CANNERY_UPDATE_TEXTS=1.");
}

CANNERY_TEST(TstSchemaTexts)
#include "tst_schema_texts.moc"
