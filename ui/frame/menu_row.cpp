// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/menu_row.h"

#include "ui/actions/action_registry.h"
#include "ui/frame/dialogs/key_caps.h"
#include "ui/frame/project_button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"

#include <QAbstractButton>
#include <QAction>
#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QStyle>

namespace cannery::ui {
namespace {

constexpr int kHeight = 36;
constexpr int kSearchWidth = 300;
constexpr int kNarrowSearch = 34;

/// Looks like a search field and opens the palette.
class SearchButton : public QAbstractButton
{
public:
    SearchButton(QAction* palette, QWidget* parent) : QAbstractButton(parent), m_palette(palette)
    {
        setObjectName("button.palette");
        setAccessibleName(MenuRow::tr("Search actions, runs, tags"));
        setToolTip(palette->toolTip());
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setCursor(Qt::PointingHandCursor);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        connect(this, &QAbstractButton::clicked, palette, &QAction::trigger);
    }

    void setNarrow(bool narrow)
    {
        if (narrow != m_narrow) {
            m_narrow = narrow;
            updateGeometry();
        }
    }
    QSize sizeHint() const override
    {
        return {scaled(m_narrow ? kNarrowSearch : kSearchWidth), scaled(28)};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const ThemeTokens& t = tokens();
        QPainter painter(this);
        const QColor outline = t.isDark || underMouse() ? t.border : QColor();
        paintSurface(painter, rect(), 6, t.field, outline);
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), 6);
        }
        const auto mirrored = [this](const QRect& place) {
            return QStyle::visualRect(layoutDirection(), rect(), place);
        };
        const int side = scaled(16);
        const QRect glass(scaled(9), 0, side, height());
        paintIcon(painter, mirrored(glass), "search", t.text2, side);
        if (m_narrow) {
            return;
        }
        const QString keys = m_palette->shortcut().toString(QKeySequence::NativeText);
        const QSize caps = keys.isEmpty() ? QSize() : keyCapsSize({keys});
        const QRect words(scaled(32), 0, width() - scaled(44) - caps.width(), height());
        painter.setFont(textFont(TextRole::Label));
        painter.setPen(t.text2);
        paintWords(painter, mirrored(words), Qt::AlignVCenter | Qt::AlignLeft,
                   painter.fontMetrics().elidedText(MenuRow::tr("Search actions, runs, tags"),
                                                    Qt::ElideRight, words.width()));
        if (!keys.isEmpty()) {
            const QRect place(width() - caps.width() - scaled(6), (height() - caps.height()) / 2,
                              caps.width(), caps.height());
            paintKeyCaps(painter, mirrored(place), {keys});
        }
    }

private:
    QAction* m_palette;
    bool m_narrow = false;
};

} // namespace

MenuRow::MenuRow(ActionRegistry& actions, QWidget* parent)
    : QWidget(parent), m_actions(&actions), m_menuBar(new QMenuBar(this)),
      m_project(new ProjectButton(actions.find("action.switch_experiment"), this)),
      m_dot(new Label("·", TextRole::Body, Ink::Secondary, this)),
      m_saved(new ElidedLabel({}, TextRole::Body, Ink::Secondary, this)),
      m_search(new SearchButton(actions.find("action.palette"), this))
{
    setObjectName("menu_row");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(scaled(6), 0, scaled(14), 0);
    row->setSpacing(scaled(7));
    // Within the window on every desktop: the row is more than menus.
    m_menuBar->setNativeMenuBar(false);
    m_menuBar->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    row->addWidget(m_menuBar);
    row->addStretch(1);
    row->addWidget(m_project);
    row->addWidget(m_dot);
    row->addWidget(m_saved);
    row->addSpacing(scaled(10));
    row->addWidget(m_search);
    m_saved->setObjectName("label.save_state");
    fillMenus();
    setProject({});
    connect(&themeWatch(), &ThemeWatch::changed, this, &MenuRow::fitHeight);
    fitHeight();
}

/// The style draws menus in the theme's font. A menu bar does not notice when that changes: it
/// keeps the sizes of its entries until it gets a StyleChange.
void MenuRow::fitHeight()
{
    QEvent change(QEvent::StyleChange);
    QCoreApplication::sendEvent(m_menuBar, &change);
    setFixedHeight(qMax(scaled(kHeight), m_menuBar->sizeHint().height()));
    fit();
}

void MenuRow::fillMenus()
{
    QHash<MenuId, QMenu*> menus;
    for (const MenuId id : {MenuId::File, MenuId::Edit, MenuId::View, MenuId::Run, MenuId::Tools,
                            MenuId::Window, MenuId::Help}) {
        menus[id] = m_menuBar->addMenu(menuTitle(id));
        menus[id]->setToolTipsVisible(true);
    }
    const auto fill = [this](QMenu* menu, MenuId id) {
        QString group;
        bool first = true;
        for (QAction* action : m_actions->actionsOf(id)) {
            const QString own = m_actions->spec(action->objectName()).group;
            if (!first && own != group) {
                menu->addSeparator();
            }
            menu->addAction(action);
            group = own;
            first = false;
        }
    };
    for (auto it = menus.cbegin(); it != menus.cend(); ++it) {
        it.value()->setObjectName(QString("menu.%1").arg(static_cast<int>(it.key())));
        fill(it.value(), it.key());
    }
    auto* exports = new QMenu(menuTitle(MenuId::FileExport), this);
    exports->setObjectName("menu.export");
    exports->setToolTipsVisible(true);
    fill(exports, MenuId::FileExport);
    QAction* before = m_actions->find("action.settings");
    menus[MenuId::File]->insertMenu(before, exports);
    menus[MenuId::File]->insertSeparator(before);
}

void MenuRow::setProject(const QString& name)
{
    m_project->setText(name);
    m_project->setAccessibleName(tr("Experiment %1").arg(name));
    m_project->updateGeometry();
    m_project->setVisible(!name.isEmpty());
    m_dot->setVisible(!name.isEmpty() && !m_saved->text().isEmpty());
    m_saved->setVisible(!name.isEmpty());
    fit();
}

void MenuRow::setSaveState(const QString& words, bool isProblem, const QString& tip)
{
    m_saved->setText(words);
    m_saved->setInk(isProblem ? Ink::Error : Ink::Secondary);
    m_saved->setAccessibleName(words);
    m_saved->setAccessibleDescription(tip);
    m_saved->setToolTip(tip);
    m_saved->updateGeometry();
    m_dot->setVisible(!m_project->text().isEmpty() && !words.isEmpty());
}

QWidget* MenuRow::projectButton() const
{
    return m_project;
}

QMenu* MenuRow::menuOf(const QAction* action) const
{
    for (QMenu* menu : findChildren<QMenu*>()) {
        if (menu->actions().contains(action)) {
            return menu;
        }
    }
    return nullptr;
}

/// A menu bar that was once too narrow loses its size hint.
int MenuRow::menusWidth() const
{
    const QFontMetrics metrics(textFont(TextRole::Body)); // the menu bar gets its font later
    int width = scaled(16);
    for (const QAction* menu : m_menuBar->actions()) {
        width += metrics.size(Qt::TextShowMnemonic, menu->text()).width() + scaled(24);
    }
    return width;
}

/// Collapses the search field to an icon before the menus or the project's name are cut.
void MenuRow::fit()
{
    const int menus = menusWidth();
    m_menuBar->setFixedWidth(qMin(menus, qMax(scaled(60), width() - scaled(kNarrowSearch + 40))));
    const int rest =
        menus + m_project->sizeHint().width() + m_saved->sizeHint().width() + scaled(80);
    static_cast<SearchButton*>(m_search)->setNarrow(width() < rest + scaled(kSearchWidth));
}

void MenuRow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

void MenuRow::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().chrome);
}

} // namespace cannery::ui
