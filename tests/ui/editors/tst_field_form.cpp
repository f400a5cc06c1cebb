// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/editors/field_form.h"
#include "ui/editors/field_text.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>

#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;

namespace {

constexpr const char* kBare = "# kept\nname: \"Bare\" # this too\n";

QString samplePath(const QString& path, const FieldSchema& field)
{
    const QString place = path.isEmpty() ? field.name : path + u'.' + field.name;
    const bool isElement = field.isRepeated && field.kind == FieldSchema::Kind::Message;
    return isElement ? elementPath(place, 0) : place;
}

/// What a person might type into a field.
QString sample(const FieldSchema& field)
{
    switch (field.kind) {
    case FieldSchema::Kind::Integer:
    case FieldSchema::Kind::Number: {
        const double low = field.min.value_or(1) + (field.exclusive ? 0 : 1);
        const double high = field.max.value_or(1000);
        const QString number =
            QString::number(low < high ? (field.exclusive ? (low + high) / 2 : low) : high);
        return field.isRepeated ? number + QStringLiteral(", ") + number : number;
    }
    case FieldSchema::Kind::Choice:
        return field.choices.last();
    case FieldSchema::Kind::YesNo:
        return field.defaultText == QLatin1String("true") ? QStringLiteral("false")
                                                          : QStringLiteral("true");
    default:
        return field.isRepeated ? QStringLiteral("a, \"b, c\"") : QStringLiteral("a word");
    }
}

} // namespace

class TstFieldForm : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void everyFieldOfTheSchemaIsEditedUndoneAndRedone();
    void everyMemberOfEveryOneofIsChosen();
    void typedTextBecomesValues_data();
    void typedTextBecomesValues();
    void numbersAreStepped_data();
    void numbersAreStepped();
    void aWrongNumberIsToldWhileTyping();
    void resetBringsTheDefaultBack();
    void expertFieldsAreFoldedUntilTheyAreSet();
    void elementsAreAddedMovedAndRemoved();

private:
    void open(const QByteArray& text);
    /// Waits until the newest text has been read and saved.
    void settle();
    void visit(const QString& path, QStringList types,
               const std::function<void(const QString&, const FieldSchema&)>& visitor);
    void editField(const QString& parent, const FieldSchema& field);
    void typeInto(QWidget* control, const FieldSchema& field, const QString& text);
    QByteArray onDisk() const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ExperimentDocument> m_document;
    int m_edited = 0;
};

void TstFieldForm::init()
{
    m_document.reset();
    // thousands of saves: in memory where the system has such a folder
    const QString memory = QStringLiteral("/dev/shm");
    const QString place = QFileInfo(memory).isWritable() ? memory : QDir::tempPath();
    m_folder = std::make_unique<QTemporaryDir>(place + QStringLiteral("/tst_field_form-XXXXXX"));
    QVERIFY(m_folder->isValid());
}

void TstFieldForm::open(const QByteArray& text)
{
    const QString path = m_folder->filePath(QStringLiteral("a.cannery"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    file.close();
    m_document = std::make_unique<ExperimentDocument>();
    m_document->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(!m_document->isLoading(), kPatience);
}

void TstFieldForm::settle()
{
    QEventLoop loop; // QTRY_VERIFY sleeps, and this is done a thousand times
    connect(m_document.get(), &ExperimentDocument::saved, &loop, &QEventLoop::quit);
    connect(m_document.get(), &ExperimentDocument::changed, &loop, &QEventLoop::quit);
    QTimer::singleShot(kPatience, &loop, &QEventLoop::quit);
    QElapsedTimer clock;
    clock.start();
    while (!m_document->isSettled() && clock.elapsed() < kPatience) {
        loop.exec();
    }
    QVERIFY(m_document->isSettled());
}

QByteArray TstFieldForm::onDisk() const
{
    QFile file(m_document->file());
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Every field below a path once for each way of messages to it; messages within themselves are not
/// entered again.
void TstFieldForm::visit(const QString& path, QStringList types,
                         const std::function<void(const QString&, const FieldSchema&)>& visitor)
{
    const std::optional<MessageSchema> schema = messageSchema(path);
    QVERIFY2(schema, qPrintable(path));
    if (types.contains(schema->name)) {
        return;
    }
    types << schema->name;
    for (const FieldSchema& field : schema->fields) {
        visitor(path, field);
        if (field.kind == FieldSchema::Kind::Message) {
            visit(samplePath(path, field), types, visitor);
        }
    }
}

void TstFieldForm::typeInto(QWidget* control, const FieldSchema& field, const QString& text)
{
    if (auto* box = qobject_cast<QComboBox*>(control)) {
        const int index = box->findData(text);
        QVERIFY2(index >= 0, qPrintable(field.name));
        box->setCurrentIndex(index);
        Q_EMIT box->activated(index);
        return;
    }
    auto* line = qobject_cast<QLineEdit*>(control);
    line = line != nullptr ? line : control->findChild<QLineEdit*>();
    QVERIFY2(line != nullptr, qPrintable(field.name));
    line->selectAll();
    QTest::keyClicks(line, text);
}

void TstFieldForm::editField(const QString& parent, const FieldSchema& field)
{
    const QString path = parent.isEmpty() ? field.name : parent + u'.' + field.name;
    const QByteArray before = m_document->text().toUtf8();
    const FormContext context{.document = m_document.get()};
    FieldForm form(context, parent, {});
    auto* control = form.findChild<QWidget*>(QStringLiteral("field.") + path);
    QVERIFY2(control != nullptr, qPrintable(path));
    const bool isChips =
        field.isRepeated && field.names != FieldNames::Nothing && field.names != FieldNames::File;
    const QString text = sample(field);
    if (isChips) {
        QVERIFY(m_document->setValue(path, quotedList({QStringLiteral("a"), text})));
    } else {
        typeInto(control, field, text);
    }
    settle();
    const FieldNode* node = m_document->field(path);
    QVERIFY2(node != nullptr && !node->isDefault, qPrintable(path));
    if (!isChips && !field.isRepeated) {
        QCOMPARE(node->text, text);
    }
    const QByteArray after = m_document->text().toUtf8();
    QCOMPARE(onDisk(), after);
    QVERIFY(after.contains("# kept") && after.contains("# this too"));
    m_document->undoStack()->undo();
    QCOMPARE(m_document->text().toUtf8(), before);
    m_document->undoStack()->redo();
    QCOMPARE(m_document->text().toUtf8(), after);
    m_document->undoStack()->undo();
    settle();
    form.refresh();
    ++m_edited;
}

void TstFieldForm::everyFieldOfTheSchemaIsEditedUndoneAndRedone()
{
    open(kBare);
    QString entered;
    QStringList seen; // a field of a message is the same wherever the message stands
    visit({}, {}, [&](const QString& parent, const FieldSchema& field) {
        const std::optional<MessageSchema> message = messageSchema(parent);
        const QString own = message->name + u'.' + field.name;
        if (seen.contains(own) || field.kind == FieldSchema::Kind::Message ||
            !field.group.isEmpty() || QTest::currentTestFailed()) {
            return;
        }
        seen << own;
        if (!parent.isEmpty() && m_document->field(parent) == nullptr) {
            while (m_document->undoStack()->canUndo()) {
                m_document->undoStack()->undo();
            }
            QVERIFY2(m_document->setValue(parent, QStringLiteral("{ }")), qPrintable(parent));
            settle();
        }
        editField(parent, field);
    });
    QVERIFY2(m_edited > 200, qPrintable(QString::number(m_edited)));
    while (m_document->undoStack()->canUndo()) {
        m_document->undoStack()->undo();
    }
    settle();
    QCOMPARE(onDisk(), QByteArray(kBare));
}

void TstFieldForm::everyMemberOfEveryOneofIsChosen()
{
    open(kBare);
    QStringList seen;
    int chosen = 0;
    visit({}, {}, [&](const QString& parent, const FieldSchema& field) {
        const std::optional<MessageSchema> message = field.kind == FieldSchema::Kind::Message
                                                         ? messageSchema(samplePath(parent, field))
                                                         : std::nullopt;
        if (!message || message->members().isEmpty() || seen.contains(message->name) ||
            QTest::currentTestFailed()) {
            return;
        }
        seen << message->name;
        const QString path = samplePath(parent, field);
        QVERIFY(m_document->setValue(path, QStringLiteral("{ }")));
        settle();
        const QByteArray before = m_document->text().toUtf8();
        const int steps = m_document->undoStack()->index();
        const FormContext context{.document = m_document.get()};
        FieldForm form(context, path, {});
        for (const FieldSchema& member : message->members()) {
            typeInto(form.findChild<QWidget*>(QStringLiteral("field.") + path), field, member.name);
            settle();
            form.refresh();
            const FieldNode* node = m_document->field(path + u'.' + member.name);
            QVERIFY2(node != nullptr && !node->isDefault, qPrintable(path + u' ' + member.name));
            ++chosen;
        }
        while (m_document->undoStack()->index() > steps) {
            m_document->undoStack()->undo();
        }
        QCOMPARE(m_document->text().toUtf8(), before);
        while (m_document->undoStack()->canUndo()) {
            m_document->undoStack()->undo();
        }
    });
    QVERIFY2(chosen > 60, qPrintable(QString::number(chosen)));
}

void TstFieldForm::typedTextBecomesValues_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("value");
    const char* const steps = "train_spec.max_steps";
    const char* const rate = "estimator.dnn_classifier.dropout";
    const char* const units = "estimator.dnn_classifier.hidden_units";
    const char* const words = "estimator.dnn_classifier.label_vocabulary";
    QTest::newRow("grouped") << steps << "12,000"
                             << "12000";
    QTest::newRow("exponent") << steps << " 2e4 "
                              << "20000";
    QTest::newRow("no integer") << steps << "2.5"
                                << "2.5";
    QTest::newRow("scientific") << rate << "1e-3"
                                << "1e-3";
    QTest::newRow("minus sign") << rate << "\u22120.5"
                                << "-0.5";
    QTest::newRow("plus sign") << rate << "+0.5"
                               << "0.5";
    QTest::newRow("list") << units << "128, 64 32"
                          << "[128, 64, 32]";
    QTest::newRow("empty list") << units << " "
                                << "";
    QTest::newRow("texts") << words << "no, yes"
                           << R"(["no", "yes"])";
    QTest::newRow("quoted texts") << words << R"("a, b", c "d", "\"")"
                                  << R"(["a, b", "c \"d\"", "\""])";
    QTest::newRow("text") << "name"
                          << R"(He said "no")"
                          << R"("He said \"no\"")";
}

void TstFieldForm::typedTextBecomesValues()
{
    QFETCH(QString, path);
    QFETCH(QString, typed);
    QFETCH(QString, value);
    QCOMPARE(typedValue(*fieldSchema(path), typed), value);
}

void TstFieldForm::numbersAreStepped_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("from");
    QTest::addColumn<int>("steps");
    QTest::addColumn<QString>("to");
    const char* const rate = "estimator.dnn_classifier.optimizer.adam.learning_rate";
    QTest::newRow("up") << rate << "0.05" << 1 << "0.06";
    QTest::newRow("carry") << rate << "0.09" << 1 << "0.1";
    QTest::newRow("down") << rate << "0.1" << -1 << "0.09";
    QTest::newRow("two") << rate << "0.001" << 2 << "0.003";
    QTest::newRow("integer") << "train_spec.max_steps"
                             << "99" << 1 << "100";
    QTest::newRow("bound") << "train_spec.max_steps"
                           << "1" << -1 << "1";
    QTest::newRow("words") << "train_spec.max_steps"
                           << "many" << 1 << "many";
}

void TstFieldForm::numbersAreStepped()
{
    QFETCH(QString, path);
    QFETCH(QString, from);
    QFETCH(int, steps);
    QFETCH(QString, to);
    QCOMPARE(steppedNumber(*fieldSchema(path), from, steps), to);
}

void TstFieldForm::aWrongNumberIsToldWhileTyping()
{
    open(kBare);
    const FormContext context{.document = m_document.get()};
    FieldForm form(context, QStringLiteral("train_spec"), {});
    followDocument(&form, *m_document);
    form.show();
    auto* words = form.findChild<QWidget*>("words.train_spec.max_steps");
    auto* steps = form.findChild<QAbstractSpinBox*>("field.train_spec.max_steps");
    QVERIFY(words != nullptr && steps != nullptr);
    QTest::keyClicks(steps, "-1");
    QTRY_VERIFY_WITH_TIMEOUT(steps->property("problem").toBool(), kPatience);
    QVERIFY(words->isVisible());
    QVERIFY(m_document->problems().hasErrors());
    steps->selectAll();
    QTest::keyClicks(steps, "250");
    QTRY_VERIFY_WITH_TIMEOUT(!steps->property("problem").toBool(), kPatience);
    settle();
    QCOMPARE(m_document->value("train_spec.max_steps"), QStringLiteral("250"));
    QCOMPARE(m_document->undoStack()->count(), 1);
}

void TstFieldForm::resetBringsTheDefaultBack()
{
    open("name: \"a\"\ntrain_spec { input { batch_size: 7 } }\n");
    const FormContext context{.document = m_document.get()};
    FieldForm form(context, QStringLiteral("train_spec"), {});
    followDocument(&form, *m_document);
    form.show();
    auto* box = form.findChild<QAbstractSpinBox*>("field.train_spec.input.batch_size");
    auto* reset = form.findChild<QToolButton*>("button.train_spec.input.batch_size");
    QVERIFY(box != nullptr && reset != nullptr);
    QCOMPARE(box->text(), QStringLiteral("7"));
    QVERIFY(reset->accessibleName().startsWith("Reset"));
    reset->click();
    QTRY_COMPARE_WITH_TIMEOUT(box->text(), QStringLiteral("128"), kPatience);
    QVERIFY(!reset->accessibleName().startsWith("Reset"));
    QVERIFY(!m_document->text().contains("batch_size"));
}

void TstFieldForm::expertFieldsAreFoldedUntilTheyAreSet()
{
    open("name: \"a\"\n");
    const FormContext context{.document = m_document.get()};
    FieldForm form(context, QStringLiteral("run_config"), {});
    followDocument(&form, *m_document);
    form.show();
    auto* row = form.findChild<QWidget*>("row.run_config.insights");
    QVERIFY(row != nullptr && !row->isVisible());
    QVERIFY(m_document->setValue("run_config.insights", "false"));
    QTRY_VERIFY_WITH_TIMEOUT(row->isVisible(), kPatience);
    m_document->undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(!row->isVisible(), kPatience);
    QVERIFY(form.reveal(QStringLiteral("run_config.insights")));
    QVERIFY(row->isVisible());
}

void TstFieldForm::elementsAreAddedMovedAndRemoved()
{
    open("name: \"a\"\ntrain_spec {\n  # first\n  hook { stop_if_lower_hook { metric_name: "
         "\"loss\" threshold: 1 } }\n}\n");
    const QByteArray before = m_document->text().toUtf8();
    const FormContext context{.document = m_document.get()};
    FieldForm form(context, QStringLiteral("train_spec"), {});
    followDocument(&form, *m_document);
    form.show();
    form.findChild<QAbstractButton*>("field.train_spec.hook")->click();
    QTRY_VERIFY_WITH_TIMEOUT(form.findChild<QWidget*>("field.train_spec.hook[1]") != nullptr,
                             kPatience);
    const auto press = [&](const QString& name) {
        QToolButton* found = nullptr; // new rows appear a moment later
        static_cast<void>(QTest::qWaitFor(
            [&] {
                for (auto* button : form.findChildren<QToolButton*>()) {
                    const bool fits = button->isVisible() && button->isEnabled();
                    found = fits && button->accessibleName() == name ? button : found;
                }
                return found != nullptr;
            },
            kPatience));
        QVERIFY2(found != nullptr, qPrintable(name));
        found->click();
    };
    press(QStringLiteral("Move Hook 1 down"));
    settle();
    QVERIFY(m_document->text().contains("# first\n  hook {"));
    QVERIFY(m_document->field("train_spec.hook[1].stop_if_lower_hook") != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(form.findChild<QWidget*>("field.train_spec.hook[1].stop_if_lower_hook."
                                                      "metric_name") != nullptr,
                             kPatience);
    press(QStringLiteral("Remove Hook 1"));
    settle();
    QCOMPARE(m_document->root().child("train_spec")->child("hook")->children.size(), 1);
    while (m_document->undoStack()->canUndo()) {
        m_document->undoStack()->undo();
    }
    QCOMPARE(m_document->text().toUtf8(), before);
}

CANNERY_TEST(TstFieldForm)
#include "tst_field_form.moc"
