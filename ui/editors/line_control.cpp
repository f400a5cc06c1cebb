// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/line_control.h"

#include "ui/document/experiment_document.h"
#include "ui/document/experiment_file.h"
#include "ui/document/table_files.h"
#include "ui/editors/number_box.h"
#include "ui/widgets/icon_button.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStandardItemModel>

#include <optional>

namespace cannery::ui {
namespace {

constexpr int kOfferRole = Qt::UserRole; ///< the text that an offer stands for

bool isSteppable(const FieldSchema& schema)
{
    return !schema.isRepeated &&
           (schema.kind == FieldSchema::Kind::Integer || schema.kind == FieldSchema::Kind::Number);
}

} // namespace

LineControl::LineControl(const FormContext& context, const FieldSchema& schema, const QString& path,
                         QWidget* parent)
    : FieldControl(context, schema, path, parent)
{
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    if (isSteppable(schema)) {
        auto* box = new NumberBox(schema);
        connect(box, &NumberBox::stepped, this, &LineControl::type);
        m_line = box->line();
        m_field = box;
    } else {
        m_line = new QLineEdit;
        m_field = m_line;
    }
    setUpField(m_field);
    m_line->setPlaceholderText(tr("Not set"));
    line->addWidget(m_field, 1);
    connect(m_line, &QLineEdit::textEdited, this, &LineControl::type);
    // Assistive technology and the completer set the text as a whole.
    connect(m_line, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text != m_written) {
            type(text);
            document().edits().endTyping();
        }
    });
    if (schema.names == FieldNames::File) {
        auto* choose = new IconButton(QStringLiteral("folder-open"),
                                      tr("Choose a file for %1").arg(schema.label));
        choose->setObjectName(QStringLiteral("choose.") + path);
        connect(choose, &QToolButton::clicked, this, &LineControl::chooseFile);
        line->addWidget(choose);
    } else if (schema.names != FieldNames::Nothing) {
        addCompleter();
    } else if (!offers().isEmpty()) {
        addOffers(*addCompleter());
    }
}

QStringList LineControl::offers() const
{
    return schema().names != FieldNames::Nothing ? context().offered(schema().names)
                                                 : context().offeredTexts(path());
}

/// A button that lists what there is, for whoever does not know how it begins.
void LineControl::addOffers(QCompleter& completer)
{
    completer.popup()->setTextElideMode(Qt::ElideLeft); // a path is known by its end
    auto* button = new IconButton(QStringLiteral("selector"),
                                  tr("Choose %1").arg(context().accessibleName(schema().label)));
    button->setObjectName(QStringLiteral("offers.") + path());
    layout()->addWidget(button);
    connect(button, &QToolButton::clicked, &completer, [this, &completer] {
        // A completer shows its list below the field that has the focus.
        m_line->setFocus(Qt::OtherFocusReason);
        fillOffers(completer);
        completer.setCompletionPrefix({});
        completer.complete();
    });
}

bool LineControl::isWide() const
{
    return schema().isRepeated || schema().kind == FieldSchema::Kind::Text;
}

QCompleter* LineControl::addCompleter()
{
    auto* completer = new QCompleter(new QStandardItemModel(this), this);
    completer->setCompletionRole(kOfferRole);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_line->setCompleter(completer);
    connect(this, &FieldControl::focusChanged, completer, [this, completer](bool hasIt) {
        if (hasIt) {
            fillOffers(*completer);
        }
    });
    return completer;
}

/// Called as people call them; the text itself is completed, and shown below the pointer.
void LineControl::fillOffers(QCompleter& completer) const
{
    auto* model = static_cast<QStandardItemModel*>(completer.model());
    model->clear();
    for (const QString& offer : offers()) {
        auto* item = new QStandardItem(context().offerName ? context().offerName(offer) : offer);
        item->setData(offer, kOfferRole);
        item->setToolTip(offer);
        model->appendRow(item);
    }
}

void LineControl::type(const QString& text)
{
    // Before the document changes: refresh() then leaves the text alone.
    m_written = text;
    const TypedValue value = typed(text);
    if (value.problem.isEmpty()) {
        document().edits().typeValue(path(), value.text);
    } else {
        document().edits().refuseTyped(path(), value.problem);
    }
}

TypedValue LineControl::typed(const QString& text) const
{
    const std::optional<FieldSchema> element = context().elementOf(path());
    return readTyped(schema(), text, element ? &*element : nullptr);
}

void LineControl::chooseFile()
{
    const QString experiment = document().file();
    auto* dialog =
        new QFileDialog(this, tr("Choose %1").arg(schema().label), QFileInfo(experiment).path());
    const QString kind = path().section(u'.', 2, 2);
    if (path().startsWith(QLatin1String("data.")) && schema().names == FieldNames::File) {
        dialog->setNameFilter(tableFileFilters(kind));
    }
    dialog->setFileMode(schema().isRepeated ? QFileDialog::ExistingFiles : QFileDialog::AnyFile);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(
        dialog, &QFileDialog::filesSelected, this, [this, experiment](const QStringList& files) {
            QStringList names;
            for (const QString& file : files) {
                names << ExperimentFile::nameIn(experiment, file);
            }
            const QString value = schema().isRepeated ? quotedList(names) : quoted(names.value(0));
            document().setValue(path(), value);
        });
    dialog->open();
}

void LineControl::refresh()
{
    if (!document().edits().isRead() && m_line->text() == m_written) {
        return; // the fields are older than what was typed
    }
    const FieldNode* present = node();
    const std::optional<FieldSchema> element = context().elementOf(path());
    const QString text = present == nullptr
                             ? QString()
                             : shownText(schema(), *present, element ? &*element : nullptr);
    // While it is typed in, the text stays as long as it means the same: "0." must not become "0".
    const bool isTyping = m_field->hasFocus() || m_line->hasFocus();
    const bool isOwn = isTyping && m_line->text() == m_written &&
                       (present == nullptr || present->isDefault ? typed(m_written) == TypedValue()
                                                                 : typed(text) == typed(m_written));
    const ProblemRow* problem = document().problems().at(path());
    const bool isUnwritten =
        problem != nullptr && problem->id == QLatin1String("document.not_written");
    if (!isOwn && !isUnwritten && m_line->text() != text) {
        m_written = text;
        m_line->setText(text);
        // A path is known by its end.
        const bool showsEnd = isTyping || findChild<QWidget*>("offers." + path()) != nullptr;
        m_line->setCursorPosition(showsEnd ? static_cast<int>(text.size()) : 0);
    }
}

void LineControl::setProblem(bool isWrong)
{
    m_field->setProperty("problem", isWrong);
    m_field->update();
}

} // namespace cannery::ui
